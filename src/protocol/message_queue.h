// A queue as clients name it: {"brokerName":s,"queueId":i,"topic":s}.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "base/json.h"

namespace apogee {

struct MessageQueue {
  std::string topic;
  std::string broker_name;
  std::int32_t queue_id = 0;

  auto operator<=>(const MessageQueue&) const = default;
  Json ToJson() const;
  static MessageQueue FromJson(const Json& json);
};

Json MessageQueuesToJson(const std::vector<MessageQueue>& queues);
std::vector<MessageQueue> MessageQueuesFromJson(const Json& json);

}  // namespace apogee
