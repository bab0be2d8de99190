// A message store in memory for the tests of what stands on it: real records, real queues, no
// files. Tests reach into it to take records away, to place wrong queue entries and to decide how a
// flush ends. Threads: one, but for the arrival listener's own.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "env/clock.h"
#include "message/properties.h"
#include "message/record.h"
#include "store/message_store.h"

namespace apogee {

class MemoryStore : public MessageStore {
 public:
  explicit MemoryStore(Clock& clock) : clock_(clock) {}

  struct Queue {
    std::int64_t min = 0;
    std::vector<QueueEntry> entries;  // From offset 0 on.
    std::vector<std::int64_t> store_times_ms;
  };

  // What a test sets.
  std::optional<Error> append_error;
  bool sync_flush = false;
  std::vector<DurableCallback> waiting_for_flush;
  std::map<QueueId, Queue> queues;
  std::map<std::int64_t, std::shared_ptr<const std::string>> records;  // By log offset.
  // Called inside Range, for what happens between two steps of the code under test.
  std::function<void()> on_range;

  // The newest record of a queue, decoded.
  RecordView Newest(const QueueRef& queue) const {
    const Queue& at = queues.at({std::string(queue.topic), queue.queue});
    return DecodeRecord(*records.at(at.entries.back().at.value()), CrcCheck::kVerify).value();
  }

  Result<Appended> Append(std::span<const RecordFields> messages) override {
    if (append_error) return std::unexpected(*append_error);
    Appended appended;
    appended.store_time_ms = clock_.WallMs();
    QueueId id{std::string(messages[0].topic), messages[0].queue_id};
    Queue& queue = queues[id];
    appended.queue_offset = QueueOffset(static_cast<std::int64_t>(queue.entries.size()));
    std::int64_t tag_code = 0;
    for (std::size_t i = 0; i < messages.size(); ++i) {
      AP_TRY(const std::int32_t size, EncodedRecordBytes(messages[i]));
      const LogOffset at(tail_);
      auto bytes = std::make_shared<std::string>(static_cast<std::size_t>(size), '\0');
      EncodeRecord(messages[i], QueueOffset(static_cast<std::int64_t>(queue.entries.size())), at,
                   appended.store_time_ms, bytes->data());
      records[tail_] = std::move(bytes);
      tail_ += size;
      tag_code = TagCode(messages[i].properties);
      queue.entries.push_back({at, size, tag_code});
      queue.store_times_ms.push_back(appended.store_time_ms);
      if (i == 0) {
        appended.log_offset = at;
      } else {
        appended.more_offsets.push_back(at);
      }
    }
    appended.end = LogOffset(tail_);
    const auto next = QueueOffset(static_cast<std::int64_t>(queue.entries.size()));
    if (listener_ != nullptr) listener_->OnArrival(id, next, tag_code);
    return appended;
  }
  bool flush_required() const override { return sync_flush; }
  void AwaitFlushed(LogOffset, DurableCallback done) override {
    waiting_for_flush.push_back(std::move(done));
  }
  LogOffset start() const override { return LogOffset(0); }
  LogOffset tail() const override { return LogOffset(tail_); }
  LogOffset flushed() const override { return LogOffset(tail_); }
  LogOffset committed() const override { return LogOffset(tail_); }

  void SetArrivalListener(ArrivalListener* listener) override { listener_ = listener; }
  Status Close() override { return Ok(); }

  std::optional<QueueRange> Range(const QueueRef& queue) const override {
    if (on_range) on_range();
    const Queue* at = Find(queue);
    if (at == nullptr) return std::nullopt;
    return QueueRange{QueueOffset(at->min),
                      QueueOffset(static_cast<std::int64_t>(at->entries.size()))};
  }
  Status ReadEntries(const QueueRef& queue, QueueOffset from, std::int32_t count,
                     std::vector<QueueEntry>* out) const override {
    const Queue* at = Find(queue);
    if (at == nullptr) return Ok();
    for (std::int64_t i = from.value(); i < from.value() + count; ++i) {
      if (i >= static_cast<std::int64_t>(at->entries.size())) break;
      out->push_back(at->entries[static_cast<std::size_t>(i)]);
    }
    return Ok();
  }
  Result<RecordRef> Read(const QueueEntry& entry) const override { return ReadAt(entry.at); }
  Result<RecordRef> ReadAt(LogOffset at) const override {
    const auto record = records.find(at.value());
    if (record == records.end()) return Fail(ErrorCode::kNotFound, "no record there");
    return RecordRef{*record->second, record->second};
  }
  Result<QueueOffset> OffsetByTime(const QueueRef& queue, std::int64_t time_ms,
                                   TimeBoundary boundary) const override {
    const Queue* at = Find(queue);
    std::int64_t offset = 0;
    if (at == nullptr) return QueueOffset(0);
    for (const std::int64_t stored : at->store_times_ms) {
      if (boundary == TimeBoundary::kLower ? stored >= time_ms : stored > time_ms) break;
      ++offset;
    }
    if (boundary == TimeBoundary::kUpper && offset > 0) --offset;
    return QueueOffset(offset);
  }
  std::int64_t StoreTimeAt(const QueueRef& queue, QueueOffset offset) const override {
    const Queue* at = Find(queue);
    const auto i = static_cast<std::size_t>(offset.value());
    return at == nullptr || i >= at->store_times_ms.size() ? -1 : at->store_times_ms[i];
  }
  bool InMemory(LogOffset) const override { return true; }
  std::vector<QueueId> Queues() const override {
    std::vector<QueueId> ids;
    for (const auto& [id, queue] : queues) ids.push_back(id);
    return ids;
  }
  Status DeleteTopic(std::string_view topic) override {
    std::erase_if(queues, [&](const auto& entry) { return entry.first.topic == topic; });
    return Ok();
  }
  Usage GetUsage() const override { return {}; }

 private:
  const Queue* Find(const QueueRef& queue) const {
    const auto at = queues.find({std::string(queue.topic), queue.queue});
    return at == queues.end() ? nullptr : &at->second;
  }

  Clock& clock_;
  std::int64_t tail_ = 0;
  ArrivalListener* listener_ = nullptr;
};

}  // namespace apogee
