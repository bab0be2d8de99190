#include "load/workload.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <utility>

#include "env/clock.h"
#include "load/blocking_call.h"
#include "load/process_cpu.h"
#include "load/puller.h"
#include "load/sender.h"
#include "protocol/request_code.h"

namespace apogee {
namespace {

Result<std::int64_t> AskOffset(BlockingCaller& caller, const TargetBroker& broker,
                               const TargetQueue& queue, ReadFrom from) {
  Command command;
  command.code = from == ReadFrom::kFirst ? RequestCode::kGetMinOffset : RequestCode::kGetMaxOffset;
  command.fields.AddView("topic", queue.topic);
  command.fields.AddInt("queueId", queue.id);
  AP_TRY(const auto answer, caller.Call(broker.address, std::move(command), {}));
  AP_RETURN_IF_ERROR(ExpectSuccess(*answer, "asking " + broker.name + " for an offset"));
  return answer->command.fields.RequireInt("offset");
}

}  // namespace

Status CheckOptions(const BenchOptions& options) {
  const auto refuse = [](std::string text) {
    return Fail(ErrorCode::kInvalidArgument, std::move(text));
  };
  if (options.connections < 1 || options.in_flight < 1 || options.threads < 1 ||
      options.topics < 1 || options.queues < 1 || options.pull_batch < 1) {
    return refuse(
        "connections, requests in flight, threads, topics, queues and the batch are at least 1");
  }
  if (options.in_flight > 1'000'000) return refuse("at most 1000000 requests in flight");
  if (options.rate < 0 || options.count < 0) return refuse("rate and count are not negative");
  if (options.duration.count() < 1) return refuse("the duration is at least 1 ms");
  if (options.message_bytes > 4 * 1024 * 1024) return refuse("messages of at most 4 MiB");
  return Ok();
}

Status AddSenders(const BenchOptions& options, const std::vector<TargetBroker>& brokers,
                  std::uint64_t stamp, LoadRun& run) {
  const auto connections = static_cast<std::size_t>(options.connections);
  const double interval_ns =
      options.rate > 0 ? 1e9 * static_cast<double>(connections) / options.rate : 0;
  for (std::size_t i = 0; i < connections; ++i) {
    const TargetBroker& broker = brokers[i % brokers.size()];
    AP_TRY(HostPort target, ParseHostPort(broker.address));
    // Each begins at another queue, so that single requests in flight spread too.
    std::vector<TargetQueue> queues = broker.queues;
    const auto first = static_cast<std::ptrdiff_t>(i / brokers.size() % queues.size());
    std::rotate(queues.begin(), queues.begin() + first, queues.end());
    Sender::Plan plan;
    plan.target = std::move(target);
    plan.in_flight = options.in_flight;
    plan.interval_ns = interval_ns;
    plan.phase_ns = static_cast<std::int64_t>(interval_ns * static_cast<double>(i) /
                                              static_cast<double>(connections));
    if (options.count > 0) {
      const auto share = static_cast<std::int64_t>(connections);
      plan.quota = options.count / share + (static_cast<std::int64_t>(i) < options.count % share);
      if (plan.quota == 0) break;
    }
    const int loop = static_cast<int>(i % static_cast<std::size_t>(run.threads()));
    run.Add(loop, std::make_shared<Sender>(run.loop(loop), std::move(plan),
                                           SendFrames(queues, options.message_bytes, options.header,
                                                      broker.name, SystemClock().WallMs(), stamp),
                                           run.totals(loop)));
  }
  return Ok();
}

Status AddPullers(const BenchOptions& options, const std::vector<TargetBroker>& brokers,
                  ReadFrom from, std::uint64_t stamp, LoadRun& run) {
  BlockingCaller caller(run.loop(0));
  const auto a_broker =
      std::max<std::size_t>(static_cast<std::size_t>(options.connections) / brokers.size(), 1);
  int next_loop = 0;
  for (const TargetBroker& broker : brokers) {
    std::vector<Puller::Plan> plans(std::min(a_broker, broker.queues.size()));
    for (std::size_t i = 0; i < broker.queues.size(); ++i) {
      AP_TRY(const std::int64_t offset, AskOffset(caller, broker, broker.queues[i], from));
      plans[i % plans.size()].sources.push_back({broker.queues[i], offset});
    }
    for (Puller::Plan& plan : plans) {
      AP_TRY(plan.target, ParseHostPort(broker.address));
      plan.group = options.group;
      plan.client_id = fmt::format("127.0.0.1@bench{}", next_loop);
      plan.form = options.header;
      plan.batch = options.pull_batch;
      plan.run = stamp;
      const int loop = next_loop++ % run.threads();
      run.Add(loop, std::make_shared<Puller>(run.loop(loop), std::move(plan), run.totals(loop)));
    }
  }
  return Ok();
}

CpuMeter::CpuMeter(std::int64_t server_pid)
    : server_pid_(server_pid),
      server_before_(server_pid > 0 ? ProcessCpuSeconds(server_pid) : std::nullopt),
      own_before_(OwnCpuSeconds()) {}

void CpuMeter::Finish(RunResult& result) const {
  result.client_cpu = OwnCpuSeconds() - own_before_;
  if (!server_before_) return;
  if (const auto now = ProcessCpuSeconds(server_pid_)) result.server_cpu = *now - *server_before_;
}

int SendAndPrint(const std::string& what, const BenchOptions& options,
                 const std::vector<TargetBroker>& brokers, std::int64_t server_pid) {
  LoadRun run(options.threads);
  if (Status added = AddSenders(options, brokers, 0, run); !added.ok()) {
    return Refuse(added.error());
  }
  if (Status connected = run.Connect(); !connected.ok()) return Refuse(connected.error());
  const CpuMeter cpu(server_pid);
  RunResult result;
  result.what = what;
  result.latency = options.rate > 0 ? "due time to answer" : "send to answer";
  result.totals = run.Go({.what = what, .duration = options.duration}).sent;
  cpu.Finish(result);
  result.seconds = run.seconds();
  return PrintResult(result, options.json);
}

int Refuse(const Error& error) {
  fmt::print(stderr, "apogee bench: {}\n", error.message());
  return error.code() == ErrorCode::kInvalidArgument ? 2 : 1;
}

}  // namespace apogee
