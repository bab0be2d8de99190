#include "load/options.h"
#include "load/workload.h"

namespace apogee {
namespace {

Result<std::vector<TargetBroker>> Prepare(const BenchOptions& options) {
  const auto loops = EventLoops::Start(1);
  return PrepareTargets(options, loops->at(0));
}

}  // namespace

int RunSend(const BenchOptions& options) {
  if (Status good = CheckOptions(options); !good.ok()) return Refuse(good.error());
  const auto brokers = Prepare(options);
  if (!brokers.ok()) return Refuse(brokers.error());
  return SendAndPrint("send", options, *brokers, options.server_pid);
}

}  // namespace apogee
