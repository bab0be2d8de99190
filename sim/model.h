// What a store was given and what it promised, in the simplest form: the log is a list, a queue is
// a list. The simulated store must never differ from it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "message/record.h"
#include "store/message_log.h"
#include "store/queue_id.h"

namespace apogee::sim {

struct SentMessage {
  std::int64_t id = 0;  // Unique in a run; the body begins with it.
  QueueId queue;
  QueueOffset offset;
  LogOffset at;
  LogOffset end;
  std::int64_t store_time_ms = 0;
  std::int64_t tag_code = 0;
  std::string body;
  bool acknowledged = false;  // The store said: survives a power loss.
};

class Model {
 public:
  // Adds what an append was answered for. Returns what contradicts the model, empty for nothing.
  std::string Append(std::span<const RecordFields> messages, std::span<const std::int64_t> ids,
                     const Appended& appended);
  void Acknowledge(std::int64_t id);

  // Forgets the messages that end behind `end` after a crash. The first acknowledged or required
  // one (ends at or before `required`) among them is returned.
  std::optional<SentMessage> Truncate(LogOffset end, LogOffset required);
  void DeleteTopic(const std::string& topic);

  // Dense from offset 0, in order.
  const std::vector<const SentMessage*>& Queue(const QueueId& id) const;
  const std::map<std::int64_t, SentMessage>& messages() const { return messages_; }
  std::vector<QueueId> Queues() const;

 private:
  std::map<std::int64_t, SentMessage> messages_;  // By id, which is the order of the log.
  std::map<QueueId, std::vector<const SentMessage*>> queues_;
};

}  // namespace apogee::sim
