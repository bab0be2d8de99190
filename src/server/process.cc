#include "server/process.h"

#include <fmt/core.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "base/log.h"
#include "nameserver/name_server.h"
#include "net/event_loop.h"
#include "server/broker_options.h"
#include "server/broker_server.h"
#include "server/name_server_options.h"

namespace apogee {
namespace {

// Name servers that do not answer must not hold up the start for longer: registration goes on
// behind.
constexpr std::chrono::milliseconds kFirstRegistration{2'000};

class ProcessImpl final : public Process {
 public:
  explicit ProcessImpl(int loops) : loops_(EventLoops::Start(loops)) {}
  ~ProcessImpl() override { static_cast<void>(Stop()); }

  Status Open(const ProcessOptions& options, const Config& config, FileSystem& fs, Clock& clock,
              Random& random, Workers& workers);
  std::string Addresses() const override;
  Status Stop() override;

 private:
  std::unique_ptr<EventLoops> loops_;
  std::unique_ptr<NameServer> name_server_;
  std::string name_server_address_;
  std::unique_ptr<BrokerServer> broker_;
};

// Where a process on this machine reaches a listener bound to `bind_address`.
std::string Reachable(const std::string& bind_address, std::uint16_t port) {
  const bool wildcard = bind_address.empty() || bind_address == "0.0.0.0" || bind_address == "::";
  const std::string host = wildcard ? "127.0.0.1" : bind_address;
  return host.find(':') == std::string::npos ? fmt::format("{}:{}", host, port)
                                             : fmt::format("[{}]:{}", host, port);
}

Status ProcessImpl::Open(const ProcessOptions& options, const Config& config, FileSystem& fs,
                         Clock& clock, Random& random, Workers& workers) {
  std::string embedded;
  if (options.parts.name_server) {
    AP_TRY(NameServerOptions serving, NameServerOptionsFrom(config, options));
    const std::string bind_address = serving.bind_address;
    AP_TRY(name_server_, NameServer::Open(std::move(serving), *loops_, fs, clock, workers));
    embedded = Reachable(bind_address, name_server_->port());
    name_server_address_ = embedded;
  }
  if (!options.parts.broker) return Ok();

  AP_TRY(BrokerOptions serving, BrokerOptionsFrom(config, options.memory_bytes, options.host_name));
  if (!embedded.empty()) serving.name_servers.insert(serving.name_servers.begin(), embedded);
  if (serving.name_servers.empty()) {
    return Fail(ErrorCode::kInvalidArgument,
                "no name server to register with: give one with -n host:9876 or the key "
                "namesrvAddr, or start `apogee server`, which brings its own");
  }
  AP_TRY(broker_, BrokerServer::Start(std::move(serving),
                                      {*loops_, fs, clock, random, workers, options.pid}));
  broker_->AwaitRegistered(kFirstRegistration);
  return Ok();
}

std::string ProcessImpl::Addresses() const {
  std::string text;
  if (name_server_) text = "name server " + name_server_address_;
  if (broker_) text += (text.empty() ? "broker " : ", broker ") + broker_->address();
  return text;
}

Status ProcessImpl::Stop() {
  Status stopped;
  if (broker_) stopped = broker_->Stop();
  broker_.reset();
  name_server_.reset();
  if (loops_) loops_->Stop();
  loops_.reset();
  return stopped;
}

}  // namespace

Result<std::string> EffectiveConfig(const ProcessOptions& options, const Config& config) {
  Config effective = config;
  if (options.parts.broker) {
    AP_TRY(const BrokerOptions broker,
           BrokerOptionsFrom(config, options.memory_bytes, options.host_name));
    AP_RETURN_IF_ERROR(effective.Set("brokerName", broker.identity.name, "default"));
  }
  const ConfigScope scope = options.parts.broker && options.parts.name_server ? ConfigScope::kBoth
                            : options.parts.broker                            ? ConfigScope::kBroker
                                                   : ConfigScope::kNamesrv;
  return effective.Dump(scope);
}

Result<std::unique_ptr<Process>> Process::Start(const ProcessOptions& options, const Config& config,
                                                FileSystem& fs, Clock& clock, Random& random,
                                                Workers& workers) {
  const int loops = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  auto process = std::make_unique<ProcessImpl>(loops);
  AP_RETURN_IF_ERROR(process->Open(options, config, fs, clock, random, workers));
  return std::unique_ptr<Process>(std::move(process));
}

}  // namespace apogee
