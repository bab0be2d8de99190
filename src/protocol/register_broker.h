// What a broker tells a name server of itself: REGISTER_BROKER's header and body (remoting
// reference §2.3 and §4.3).
//
// The body comes in three forms: RegisterBrokerBody as JSON; a bare TopicConfigSerializeWrapper
// from brokers before version 37; or one zlib stream of
//
//   data version: length 4, JSON | topics: count 4, each: length 4, text | filter servers: length
//   4, JSON array | from version 413 on: mappings: count 4, each: length 4, JSON
//
// where a topic's text is "name readQueues writeQueues perm filterType[ attributes]". Brokers of
// 5.x send the zlib form without saying so in the header, so the first byte decides.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "message/topic_config.h"
#include "protocol/fields.h"

namespace apogee {

// More than any broker's topics need; a stream that unpacks to more is refused.
inline constexpr std::size_t kRegistrationBytesMax = std::size_t{64} << 20;

struct RegisterBrokerHeader {
  std::string cluster;
  std::string broker_name;
  std::string broker_addr;
  std::string ha_server_addr;
  std::int64_t broker_id = 0;
  std::optional<std::int64_t> heartbeat_timeout_ms;
  std::optional<bool> enable_acting_master;  // Nothing: the broker is older than 5.0.
  bool compressed = false;
  std::int32_t body_crc32 = 0;  // 0: unchecked.
  std::string zone_name;

  // kInvalidArgument names the missing field.
  static Result<RegisterBrokerHeader> FromFields(const Fields& fields);
  void AddTo(Fields* fields) const;
};

struct RegisterBrokerBody {
  DataVersion data_version;
  std::vector<TopicConfig> topics;
  std::vector<std::string> filter_servers;
  std::map<std::string, Json> mappings;  // TopicQueueMappingInfo by topic.

  // As JSON; the other forms are only read.
  std::string Encode() const;
};

// No body at all is a registration without topics. kCorruption: none of the forms.
Result<RegisterBrokerBody> DecodeRegisterBrokerBody(std::string_view body, std::int32_t version);

// The header of UNREGISTER_BROKER, QUERY_DATA_VERSION and, without an id, BROKER_HEARTBEAT.
struct BrokerHeader {
  std::string cluster;
  std::string broker_name;
  std::string broker_addr;
  std::int64_t broker_id = 0;

  void AddTo(Fields* fields) const;
  static BrokerHeader FromFields(const Fields& fields);  // Missing texts are empty.
};

}  // namespace apogee
