#include "endpoint/remoting/status_handler.h"

#include <fmt/core.h>

#include <array>
#include <map>
#include <string>
#include <string_view>

#include "protocol/client_version.h"
#include "protocol/name_lists.h"
#include "protocol/request_code.h"

namespace apogee {
namespace {

using Table = std::map<std::string, std::string>;

// What Apache's broker counts in queues that do not exist here, or measures of what is not there:
// nothing waits and nothing is behind. mqadmin's clusterList reads most of them as numbers and
// fails without them.
constexpr auto kZeroes = std::to_array<std::string_view>({
    "EndTransactionQueueSize",
    "ackThreadPoolQueueHeadWaitTimeMills",
    "ackThreadPoolQueueSize",
    "dispatchBehindBytes",  // What is readable is in its queue already.
    "dispatchMaxBuffer",
    "litePullThreadPoolQueueHeadWaitTimeMills",
    "litePullThreadPoolQueueSize",
    "pageCacheLockTimeMills",
    "pullThreadPoolQueueHeadWaitTimeMills",
    "pullThreadPoolQueueSize",
    "queryThreadPoolQueueHeadWaitTimeMills",
    "queryThreadPoolQueueSize",
    "sendThreadPoolQueueHeadWaitTimeMills",
    "sendThreadPoolQueueSize",
    "startAcceptSendRequestTimeStamp",  // Sends are taken from the start.
    "timerCongestNum",
    "timerOffsetBehind",
    "timerReadBehind",
});

// "243 B", "1.5 KiB", "238.7 GiB".
std::string Bytes(std::int64_t bytes) {
  if (bytes < 1024) return fmt::format("{} B", bytes);
  auto number = static_cast<double>(bytes);
  std::string_view units = "KMGTPE";
  for (number /= 1024; number >= 1024 && units.size() > 1; number /= 1024) units.remove_prefix(1);
  return fmt::format("{:.1f} {}iB", number, units.front());
}

std::string RunTime(std::int64_t ms) {
  const std::int64_t seconds = ms / 1000;
  return fmt::format("[ {} days, {} hours, {} minutes, {} seconds ]", seconds / 86'400,
                     seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
}

void AddCounts(const BrokerStats& stats, Table& table) {
  const std::int64_t put = stats.put();
  const std::int64_t put_bytes = stats.put_bytes();
  const double average = put > 0 ? static_cast<double>(put_bytes) / static_cast<double>(put) : 0.0;
  table["putMessageTimesTotal"] = std::to_string(put);
  table["putMessageSizeTotal"] = std::to_string(put_bytes);
  table["putMessageAverageSize"] = fmt::format("{:.1f}", average);
  table["putMessageFailedTimes"] = std::to_string(stats.put_failed());
  table["putTps"] = stats.PutRates();
  table["getTransferredTps"] = stats.GotRates();
  table["getTransferedTps"] = table["getTransferredTps"];  // How tools up to 4.9.5 spell it.

  const BrokerStats::Mornings mornings = stats.mornings();
  table["msgPutTotalTodayNow"] = std::to_string(put);
  table["msgPutTotalTodayMorning"] = std::to_string(mornings.put_today);
  table["msgPutTotalYesterdayMorning"] = std::to_string(mornings.put_yesterday);
  table["msgGetTotalTodayNow"] = std::to_string(stats.got());
  table["msgGetTotalTodayMorning"] = std::to_string(mornings.got_today);
  table["msgGetTotalYesterdayMorning"] = std::to_string(mornings.got_yesterday);
}

void AddStore(const QueueQuery& query, Table& table) {
  const QueueQuery::LogUsage log = query.GetLogUsage();
  const auto& usage = log.disk;
  const double used = usage.disk_total > 0 ? 1.0 - static_cast<double>(usage.disk_available) /
                                                       static_cast<double>(usage.disk_total)
                                           : 0.0;
  table["commitLogDiskRatio"] = fmt::format("{:.2f}", used);
  table["consumeQueueDiskRatio"] = table["commitLogDiskRatio"];  // One root, one disk.
  table["commitLogDirCapacity"] =
      fmt::format("Total : {}, Free : {}.", Bytes(usage.disk_total), Bytes(usage.disk_available));
  table["commitLogMinOffset"] = std::to_string(log.start);
  table["commitLogMaxOffset"] = std::to_string(log.tail);
  table["earliestMessageTimeStamp"] = std::to_string(usage.earliest_store_time_ms);
  table["remainHowManyDataToFlush"] = Bytes(usage.flush_behind_bytes);
}

}  // namespace

StatusHandler::StatusHandler(BrokerStats& stats, const QueueQuery& query, Clock& clock,
                             std::int64_t boot_time_ms, WorkPool& pool)
    : PooledHandler(pool),
      stats_(stats),
      query_(query),
      clock_(clock),
      boot_time_ms_(boot_time_ms),
      boot_monotonic_ms_(clock.MonotonicMs()) {}

void StatusHandler::RegisterWith(BrokerHandler& broker) {
  broker.Register(RequestCode::kGetBrokerRuntimeInfo, this);
}

Result<Reply> StatusHandler::Answer(const OwnedRequest&) {
  KvTable status;
  Table& table = status.table;
  for (const std::string_view key : kZeroes) table[std::string(key)] = "0";
  table["timerEnqueueTps"] = "0.0";
  table["timerDequeueTps"] = "0.0";
  table["bootTimestamp"] = std::to_string(boot_time_ms_);
  table["runtime"] = RunTime(clock_.MonotonicMs() - boot_monotonic_ms_);
  table["brokerActive"] = "true";
  table["brokerVersionDesc"] = ClientVersionName(kOurVersion);
  AddCounts(stats_, table);
  AddStore(query_, table);
  Reply reply;
  reply.body = status.Encode();
  return reply;
}

}  // namespace apogee
