// The configuration of a consumer group ("subscription group"); JSON as in subscriptionGroup.json
// and on the wire.
#pragma once

#include <cstdint>
#include <string>

#include "base/json.h"

namespace apogee {

struct GroupConfig {
  std::string name;
  bool consume_enable = true;
  bool consume_from_min_enable = true;
  bool consume_broadcast_enable = true;
  bool consume_orderly = false;
  std::int32_t retry_queues = 1;
  std::int32_t retry_max_times = 16;
  std::int64_t broker_id = 0;
  std::int64_t which_broker_when_slow = 1;
  bool notify_consumer_ids_changed = true;
  std::int32_t sys_flag = 0;
  std::int32_t consume_timeout_minutes = 15;
  // Members that nothing here reads (attributes, groupRetryPolicy, subscriptionDataSet, later
  // ones), kept as they came.
  Json others;

  Json ToJson() const;
  static GroupConfig FromJson(const Json& json);
};

}  // namespace apogee
