// One send as a front door hands it in, whatever its wire form was.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "message/host.h"
#include "message/names.h"
#include "message/topic_config.h"

namespace apogee {

// Views live until the call they are given to returns.
struct SendRequest {
  std::string_view topic;
  std::string_view default_topic = kAutoCreateTopic;  // Template of a topic that does not exist.
  std::int32_t default_queues = 0;
  std::int32_t queue_id = 0;  // Negative: the broker picks one.
  std::int32_t sys_flag = 0;
  std::int64_t born_time_ms = 0;
  std::int32_t flag = 0;
  std::string_view properties;
  std::int32_t reconsume_times = 0;
  std::int32_t max_reconsume_times = -1;  // Overrides the group's; negative: not given.
  bool unit_mode = false;
  bool batch = false;  // `body` holds many messages (message/batch.h).
  std::string_view body;
  Host born_host;
  std::string_view client_address;  // "127.0.0.1:40312", for remarks.
};

enum class SendStatus {
  kOk,
  kFlushTimeout,    // Stored, but not known to be durable within the time configured.
  kInvalid,         // Topic name or queue number.
  kForbidden,       //
  kTopicMissing,    //
  kGroupMissing,    //
  kIllegalMessage,  // Too long, a batch that is none, or something no broker could deliver.
  kUnavailable,     // Nothing was stored: disk full, flush error, stopping.
  kFailed,          //
};

struct SendOptions {
  std::int32_t broker_perm = kPermRead | kPermWrite;  // brokerPermission
  std::int32_t message_bytes_max = 4 * 1024 * 1024;   // maxMessageSize
  std::int64_t accept_from_ms = 0;                    // startAcceptSendRequestTimeStamp
};

}  // namespace apogee
