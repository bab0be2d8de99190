#include <algorithm>

#include "env/clock.h"
#include "load/options.h"
#include "load/workload.h"

namespace apogee {
namespace {

// After the senders' time is up their last answers are on the way; the counts are compared later.
constexpr std::int64_t kLastAnswersNs = 300'000'000;

}  // namespace

int RunConsume(const BenchOptions& options) {
  if (Status good = CheckOptions(options); !good.ok()) return Refuse(good.error());
  LoadRun run(options.threads);
  const auto brokers = PrepareTargets(options, run.loop(0));
  if (!brokers.ok()) return Refuse(brokers.error());
  if (Status added = AddPullers(options, *brokers, ReadFrom::kFirst, 0, run); !added.ok()) {
    return Refuse(added.error());
  }
  if (Status connected = run.Connect(); !connected.ok()) return Refuse(connected.error());
  const CpuMeter cpu(options.server_pid);
  RunResult result;
  result.what = "consume";
  result.latency = "pull to answer with messages";
  LoadRun::Course course;
  course.what = "consume";
  course.duration = options.duration;
  course.grace = std::chrono::milliseconds(0);
  course.shown = &RunTotals::received;
  course.finished = [&](const LoadRun::Counts& counts) {
    return counts.all_done || (options.count > 0 && counts.received >= options.count);
  };
  result.totals = run.Go(course).received;
  cpu.Finish(result);
  result.seconds = run.seconds();
  return PrintResult(result, options.json);
}

int RunE2e(const BenchOptions& options) {
  if (Status good = CheckOptions(options); !good.ok()) return Refuse(good.error());
  if (options.message_bytes < 16) {
    return Refuse(Error(ErrorCode::kInvalidArgument,
                        "the time of sending travels in the body: at least 16 bytes"));
  }
  LoadRun run(options.threads);
  const auto brokers = PrepareTargets(options, run.loop(0));
  if (!brokers.ok()) return Refuse(brokers.error());
  // Not 0, which means that messages of any run count.
  const auto stamp = static_cast<std::uint64_t>(SystemClock().WallMs()) | 1U;
  if (Status added = AddPullers(options, *brokers, ReadFrom::kEnd, stamp, run); !added.ok()) {
    return Refuse(added.error());
  }
  if (Status added = AddSenders(options, *brokers, stamp, run); !added.ok()) {
    return Refuse(added.error());
  }
  if (Status connected = run.Connect(); !connected.ok()) return Refuse(connected.error());
  const CpuMeter cpu(options.server_pid);
  const std::int64_t senders_end =
      SystemClock().MonotonicNs() + options.duration.count() * 1'000'000;
  LoadRun::Course course;
  course.what = "e2e";
  course.duration = options.duration;
  course.shown = &RunTotals::received;
  course.finished = [&](const LoadRun::Counts& counts) {
    // Messages whose send failed may have been stored nevertheless, so more may come than were
    // acknowledged.
    const bool sent_all = (options.count > 0 && counts.sent >= options.count) ||
                          SystemClock().MonotonicNs() > senders_end + kLastAnswersNs;
    return sent_all && counts.received >= counts.sent;
  };
  const RunTotals totals = run.Go(course);
  RunResult result;
  result.what = "e2e";
  result.latency = options.rate > 0 ? "due time to receipt" : "send to receipt";
  result.totals = totals.received;
  for (const auto& [code, count] : totals.sent.errors) result.totals.errors[code] += count;
  result.more["acknowledged"] = totals.sent.completed;
  result.more["missing"] =
      std::max<std::int64_t>(totals.sent.completed - totals.received.completed, 0);
  cpu.Finish(result);
  result.seconds = run.seconds();
  PrintResult(result, options.json);
  return totals.received.completed > 0 && result.more["missing"] == 0 ? 0 : 1;
}

}  // namespace apogee
