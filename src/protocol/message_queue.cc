#include "protocol/message_queue.h"

#include <utility>

namespace apogee {

Json MessageQueue::ToJson() const {
  Json json;
  json.Set("brokerName", broker_name);
  json.Set("queueId", static_cast<std::int64_t>(queue_id));
  json.Set("topic", topic);
  return json;
}

MessageQueue MessageQueue::FromJson(const Json& json) {
  return {.topic = json["topic"].ToText(),
          .broker_name = json["brokerName"].ToText(),
          .queue_id = static_cast<std::int32_t>(json["queueId"].ToInt())};
}

Json MessageQueuesToJson(const std::vector<MessageQueue>& queues) {
  Json::Array array;
  for (const MessageQueue& queue : queues) array.push_back(queue.ToJson());
  return Json(std::move(array));
}

std::vector<MessageQueue> MessageQueuesFromJson(const Json& json) {
  std::vector<MessageQueue> queues;
  for (const Json& item : json.array()) {
    if (item.is_object()) queues.push_back(MessageQueue::FromJson(item));
  }
  return queues;
}

}  // namespace apogee
