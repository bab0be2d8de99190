// What a broker needs to start, taken from the configuration.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "base/result.h"
#include "broker/identity.h"
#include "broker/topic_table.h"
#include "server/config.h"
#include "store/message_store.h"

namespace apogee {

struct BrokerOptions {
  BrokerIdentity
      identity;  // store_host still without port and, unless brokerIP1 is set, without address.
  std::string broker_ip;  // Key brokerIP1.
  std::string bind_address;
  std::uint16_t port = 10911;
  std::vector<std::string> name_servers;
  std::int32_t broker_permission = 6;
  StoreOptions store;
  TopicTableOptions topics;
  bool auto_create_groups = true;
  bool notify_consumer_ids_changed = true;
  bool lite_pull_enable = true;
  bool long_polling_enable = true;
  std::chrono::milliseconds short_polling{1000};
  std::int32_t transfer_bytes_max = 262'144;
  std::int32_t transfer_count_max = 32;
  std::int32_t filter_bytes_max = 16'000;
  std::int64_t accept_sends_from_ms = 0;  // startAcceptSendRequestTimeStamp
  std::chrono::milliseconds idle_limit{120'000};
  std::chrono::milliseconds channel_expired{120'000};
  std::chrono::milliseconds persist_offsets_interval{5'000};
  std::chrono::milliseconds register_period{30'000};
  std::chrono::milliseconds register_timeout{24'000};
};

// kInvalidArgument: a combination that cannot be served; the text names key and value and says what
// to do. `memory_bytes` is the machine's RAM, `host_name` the default broker name.
Result<BrokerOptions> BrokerOptionsFrom(const Config& config, std::int64_t memory_bytes,
                                        const std::string& host_name);

// "a:9876;b:9876" (a comma separates too). kInvalidArgument names the segment that is no address.
Result<std::vector<std::string>> ParseAddressList(std::string_view text);

}  // namespace apogee
