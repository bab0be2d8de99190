#include "server/broker_options.h"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>

#include "message/names.h"
#include "net/tcp.h"

namespace apogee {
namespace {

// A setting whose meaning would be broken, not merely without effect, if it were ignored.
struct Refused {
  std::string_view key;
  std::string_view value;
  std::string_view why;
};
constexpr Refused kRefused[] = {
    {"brokerRole", "SLAVE", "this version has no replication; start it as a master"},
    {"enableDLegerCommitLog", "true", "this version has no replication"},
    {"enableControllerMode", "true", "this version has no replication"},
    {"aclEnable", "true",
     "this version has no access control, and starting without it would leave the broker open"},
    {"authenticationEnabled", "true",
     "this version has no authentication, and starting without it would leave the broker open"},
    {"authorizationEnabled", "true",
     "this version has no authorization, and starting without it would leave the broker open"},
    {"storeType", "defaultRocksDB", "queues are kept in files here; use storeType=default"},
};

Status CheckServed(const Config& config) {
  for (const Refused& refused : kRefused) {
    if (config.Text(refused.key) == refused.value) {
      return Fail(ErrorCode::kInvalidArgument,
                  fmt::format("{}={}: {}", refused.key, refused.value, refused.why));
    }
  }
  if (config.Int("inSyncReplicas") > 1) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("inSyncReplicas={}: this version has no replication, no send could "
                            "be answered",
                            config.Int("inSyncReplicas")));
  }
  const std::string role = config.Text("brokerRole");
  if (role != "ASYNC_MASTER" && role != "SYNC_MASTER") {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("brokerRole={}: must be ASYNC_MASTER or SYNC_MASTER", role));
  }
  return Ok();
}

Result<std::int64_t> InRange(const Config& config, std::string_view key, std::int64_t low,
                             std::int64_t high) {
  const std::int64_t value = config.Int(key);
  if (value >= low && value <= high) return value;
  return Fail(ErrorCode::kInvalidArgument,
              fmt::format("{}={}: must be between {} and {}", key, value, low, high));
}

Result<FlushMode> FlushModeFrom(const Config& config) {
  const std::string mode = config.Text("flushDiskType");
  if (mode == "ASYNC_FLUSH") return FlushMode::kAsync;
  if (mode == "SYNC_FLUSH") return FlushMode::kSync;
  return Fail(ErrorCode::kInvalidArgument,
              fmt::format("flushDiskType={}: must be ASYNC_FLUSH or SYNC_FLUSH", mode));
}

Result<StoreOptions> StoreOptionsFrom(const Config& config, std::int64_t memory_bytes) {
  StoreOptions store;
  store.root = config.Text("storePathRootDir");
  store.commit_log = config.Text("storePathCommitLog");
  if (store.commit_log.find(',') != std::string::npos) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("storePathCommitLog={}: several directories are not served by this "
                            "version",
                            store.commit_log));
  }
  AP_TRY(store.segment_bytes,
         InRange(config, "mappedFileSizeCommitLog", 64 * 1024, std::int64_t{1} << 40));
  AP_TRY(store.queue_file_bytes,
         InRange(config, "mappedFileSizeConsumeQueue", 20, std::int64_t{1} << 31));
  store.queue_file_bytes = (store.queue_file_bytes + 19) / 20 * 20;
  AP_TRY(const std::int64_t message_bytes,
         InRange(config, "maxMessageSize", 10, 16 * 1024 * 1024 - 128 * 1024));
  store.message_bytes_max = static_cast<std::int32_t>(message_bytes);
  AP_TRY(store.flush_mode, FlushModeFrom(config));
  AP_TRY(const std::int64_t interval, InRange(config, "flushIntervalCommitLog", 1, 3'600'000));
  store.flush_interval = std::chrono::milliseconds(interval);
  AP_TRY(const std::int64_t pages, InRange(config, "flushCommitLogLeastPages", 0, 1 << 20));
  store.flush_least_pages = static_cast<std::int32_t>(pages);
  AP_TRY(const std::int64_t thorough,
         InRange(config, "flushCommitLogThoroughInterval", 1, 3'600'000));
  store.flush_thorough_interval = std::chrono::milliseconds(thorough);
  AP_TRY(const std::int64_t timeout, InRange(config, "syncFlushTimeout", 1, 3'600'000));
  store.sync_flush_timeout = std::chrono::milliseconds(timeout);
  store.check_crc_on_recover = config.Bool("checkCRCOnRecover");
  AP_TRY(const std::int64_t ratio, InRange(config, "accessMessageInMemoryMaxRatio", 0, 100));
  store.in_memory_bytes = memory_bytes / 100 * ratio;
  return store;
}

Result<TopicTableOptions> TopicOptionsFrom(const Config& config) {
  TopicTableOptions topics;
  topics.auto_create = config.Bool("autoCreateTopicEnable");
  AP_TRY(const std::int64_t queues, InRange(config, "defaultTopicQueueNums", 0, 65'535));
  topics.default_queues = static_cast<std::int32_t>(queues);
  topics.cluster_topic = config.Bool("clusterTopicEnable");
  topics.broker_topic = config.Bool("brokerTopicEnable");
  topics.trace_topic = config.Bool("traceTopicEnable");
  topics.trace_topic_name = config.Text("msgTraceTopicName");
  return topics;
}

Result<BrokerIdentity> IdentityFrom(const Config& config, const std::string& host_name) {
  BrokerIdentity identity;
  identity.cluster = config.Text("brokerClusterName");
  identity.name = config.IsSet("brokerName") ? config.Text("brokerName") : host_name;
  identity.region = config.Text("regionId");
  identity.trace_on = config.Bool("traceOn");
  // Both names are topics too, and registrations are split at blanks.
  for (const auto& [key, name] :
       {std::pair<std::string_view, const std::string&>("brokerClusterName", identity.cluster),
        {"brokerName", identity.name}}) {
    if (const Status valid = CheckTopicName(name); !valid.ok()) {
      return Fail(ErrorCode::kInvalidArgument,
                  fmt::format("{}={}: only letters, digits, %, |, _ and - are allowed, at most 127",
                              key, name));
    }
  }
  if (config.Int("brokerId") > 0) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("brokerId={}: this version has no replication; a master has id 0",
                            config.Int("brokerId")));
  }
  return identity;
}

}  // namespace

Result<std::vector<std::string>> ParseAddressList(std::string_view text) {
  std::vector<std::string> addresses;
  while (!text.empty()) {
    const std::size_t end = text.find_first_of(";,");
    const std::string_view segment = text.substr(0, end);
    const bool more = end != std::string_view::npos;
    if (const Result<HostPort> parsed = ParseHostPort(segment); !parsed.ok()) {
      return Fail(ErrorCode::kInvalidArgument,
                  fmt::format("\"{}\" is no address of the form host:port", segment));
    }
    addresses.emplace_back(segment);
    text = more ? text.substr(end + 1) : std::string_view();
    if (more && text.empty()) {
      return Fail(ErrorCode::kInvalidArgument, "the address list ends with a separator");
    }
  }
  return addresses;
}

Result<BrokerOptions> BrokerOptionsFrom(const Config& config, std::int64_t memory_bytes,
                                        const std::string& host_name) {
  AP_RETURN_IF_ERROR(CheckServed(config));
  BrokerOptions options;
  AP_TRY(options.identity, IdentityFrom(config, host_name));
  options.broker_ip = config.Text("brokerIP1");
  options.bind_address = config.Text("bindAddress");
  AP_TRY(const std::int64_t port, InRange(config, "listenPort", 0, 65'535));
  options.port = static_cast<std::uint16_t>(port);
  Result<std::vector<std::string>> name_servers = ParseAddressList(config.Text("namesrvAddr"));
  if (!name_servers.ok()) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("namesrvAddr: {}", name_servers.error().message()));
  }
  options.name_servers = std::move(*name_servers);
  AP_TRY(const std::int64_t permission, InRange(config, "brokerPermission", 0, 7));
  options.broker_permission = static_cast<std::int32_t>(permission);
  AP_TRY(options.store, StoreOptionsFrom(config, memory_bytes));
  AP_TRY(options.topics, TopicOptionsFrom(config));
  options.auto_create_groups = config.Bool("autoCreateSubscriptionGroup");
  options.notify_consumer_ids_changed = config.Bool("notifyConsumerIdsChangedEnable");
  options.lite_pull_enable = config.Bool("litePullMessageEnable");
  options.long_polling_enable = config.Bool("longPollingEnable");
  AP_TRY(const std::int64_t polling, InRange(config, "shortPollingTimeMills", 0, 600'000));
  options.short_polling = std::chrono::milliseconds(polling);
  AP_TRY(const std::int64_t bytes,
         InRange(config, "maxTransferBytesOnMessageInMemory", 1, 15 * 1024 * 1024));
  options.transfer_bytes_max = static_cast<std::int32_t>(bytes);
  AP_TRY(const std::int64_t count,
         InRange(config, "maxTransferCountOnMessageInMemory", 1, 100'000));
  options.transfer_count_max = static_cast<std::int32_t>(count);
  AP_TRY(const std::int64_t filter, InRange(config, "maxFilterMessageSize", 20, 20'000'000));
  options.filter_bytes_max = static_cast<std::int32_t>(filter);
  options.accept_sends_from_ms = config.Int("startAcceptSendRequestTimeStamp");
  AP_TRY(const std::int64_t idle, InRange(config, "serverChannelMaxIdleTimeSeconds", 0, 86'400));
  options.idle_limit = std::chrono::seconds(idle);
  AP_TRY(const std::int64_t expired, InRange(config, "channelExpiredTimeout", 1'000, 86'400'000));
  options.channel_expired = std::chrono::milliseconds(expired);
  AP_TRY(const std::int64_t persist, InRange(config, "flushConsumerOffsetInterval", 10, 3'600'000));
  options.persist_offsets_interval = std::chrono::milliseconds(persist);
  // Apache clamps this one instead of refusing it.
  options.register_period = std::chrono::milliseconds(
      std::clamp<std::int64_t>(config.Int("registerNameServerPeriod"), 10'000, 60'000));
  AP_TRY(const std::int64_t timeout, InRange(config, "registerBrokerTimeoutMills", 100, 600'000));
  options.register_timeout = std::chrono::milliseconds(timeout);
  return options;
}

}  // namespace apogee
