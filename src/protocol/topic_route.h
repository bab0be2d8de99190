// Where a topic lives: the body of GET_ROUTEINFO_BY_TOPIC and REGISTER_TOPIC_IN_NAMESRV (remoting
// reference §4.2).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace apogee {

struct QueueData {
  std::string broker_name;
  std::int32_t read_queues = 0;
  std::int32_t write_queues = 0;
  std::int32_t perm = 0;
  std::int32_t topic_sys_flag = 0;

  bool operator==(const QueueData&) const = default;
  static QueueData FromJson(const Json& json);
};

struct BrokerData {
  std::string cluster;
  std::string broker_name;
  std::map<std::int64_t, std::string> addrs = {};  // By broker id; 0 is the master.
  bool enable_acting_master = false;
  std::string zone_name = {};  // Empty: none.

  bool operator==(const BrokerData&) const = default;
  static BrokerData FromJson(const Json& json);
};

// How the keys of maps with integer keys are written.
enum class JsonKeys {
  kQuoted,  // Standard JSON; beyond ASCII everything is escaped.
  kBare,    // {0:"…"}, as clients before 4.9.4 were answered.
};

struct TopicRouteData {
  std::string order_topic_conf;  // Empty: none.
  std::vector<QueueData> queues;
  std::vector<BrokerData> brokers;
  std::map<std::string, std::vector<std::string>> filter_servers;  // By broker address.
  std::map<std::string, Json> mappings;  // TopicQueueMappingInfo by broker name.

  bool operator==(const TopicRouteData& other) const {
    return order_topic_conf == other.order_topic_conf && queues == other.queues &&
           brokers == other.brokers && filter_servers == other.filter_servers;
  }

  // Compact without exception: the Go client takes the text apart by hand.
  std::string Encode(JsonKeys keys) const;
  static Result<TopicRouteData> Parse(std::string_view body);
};

void AppendBrokerAddrs(const std::map<std::int64_t, std::string>& addrs, JsonKeys keys,
                       std::string& out);
void AppendBrokerData(const BrokerData& broker, JsonKeys keys, std::string& out);

}  // namespace apogee
