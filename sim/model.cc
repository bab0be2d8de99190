#include "sim/model.h"

#include <fmt/format.h>

#include "message/properties.h"

namespace apogee::sim {

std::string Model::Append(std::span<const RecordFields> messages, std::span<const std::int64_t> ids,
                          const Appended& appended) {
  if (appended.more_offsets.size() + 1 != messages.size()) return "wrong number of log offsets";
  const QueueId id{std::string(messages[0].topic), messages[0].queue_id};
  auto& queue = queues_[id];
  if (appended.queue_offset.value() != static_cast<std::int64_t>(queue.size())) {
    return fmt::format("append to {}/{} got queue offset {}, the queue holds {}", id.topic,
                       id.queue, appended.queue_offset.value(), queue.size());
  }
  if (!messages_.empty() && appended.log_offset < messages_.rbegin()->second.end) {
    return fmt::format("append at log offset {}, before the end of the one before",
                       appended.log_offset.value());
  }
  for (std::size_t i = 0; i < messages.size(); ++i) {
    SentMessage sent;
    sent.id = ids[i];
    sent.queue = id;
    sent.offset = appended.queue_offset + static_cast<std::int64_t>(i);
    sent.at = i == 0 ? appended.log_offset : appended.more_offsets[i - 1];
    sent.end = i + 1 < messages.size() ? appended.more_offsets[i] : appended.end;
    sent.store_time_ms = appended.store_time_ms;
    sent.tag_code = TagCode(messages[i].properties);
    sent.body = messages[i].body;
    if (sent.end - sent.at != *EncodedRecordBytes(messages[i])) return "records do not adjoin";
    queue.push_back(&messages_.emplace(ids[i], std::move(sent)).first->second);
  }
  return {};
}

void Model::Acknowledge(std::int64_t id) {
  if (const auto found = messages_.find(id); found != messages_.end()) {
    found->second.acknowledged = true;
  }
}

std::optional<SentMessage> Model::Truncate(LogOffset end, LogOffset required) {
  std::optional<SentMessage> lost;
  for (auto at = messages_.begin(); at != messages_.end();) {
    const SentMessage& message = at->second;
    if (message.end <= end) {
      ++at;
      continue;
    }
    if (!lost && (message.acknowledged || message.end <= required)) lost = message;
    std::erase(queues_[message.queue], &message);
    at = messages_.erase(at);
  }
  return lost;
}

void Model::DeleteTopic(const std::string& topic) {
  std::erase_if(queues_, [&](const auto& queue) { return queue.first.topic == topic; });
  std::erase_if(messages_, [&](const auto& entry) { return entry.second.queue.topic == topic; });
}

const std::vector<const SentMessage*>& Model::Queue(const QueueId& id) const {
  static const std::vector<const SentMessage*> kEmpty;
  const auto found = queues_.find(id);
  return found != queues_.end() ? found->second : kEmpty;
}

std::vector<QueueId> Model::Queues() const {
  std::vector<QueueId> ids;
  for (const auto& [id, queue] : queues_) ids.push_back(id);
  return ids;
}

}  // namespace apogee::sim
