// The header of all sends (remoting reference §2.4). Codes 10 and 324 spell the names out, 310, 320
// and 325 use one letter each; both end in the same struct.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/result.h"
#include "protocol/fields.h"

namespace apogee {

// Views live as long as the fields they were decoded from.
struct SendHeader {
  std::string_view producer_group;
  std::string_view topic;
  std::string_view default_topic;
  std::int32_t default_topic_queues = 0;
  std::int32_t queue_id = 0;  // Negative: the broker picks one.
  std::int32_t sys_flag = 0;
  std::int64_t born_time_ms = 0;
  std::int32_t flag = 0;
  std::string_view properties;
  std::int32_t reconsume_times = 0;
  bool unit_mode = false;
  std::optional<std::int32_t> max_reconsume_times;
  bool batch = false;
  std::string_view broker_name;

  // One pass over `fields`. kInvalidArgument names the field: topic, queueId, sysFlag,
  // bornTimestamp or flag missing, or text where a number is due.
  static Result<SendHeader> FromFields(std::int32_t request_code, const Fields& fields);
  // With the one-letter names, in RocketMQ's order.
  void AddTo(Fields* fields) const;
};

}  // namespace apogee
