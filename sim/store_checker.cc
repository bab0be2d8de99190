#include "sim/store_checker.h"

#include <fmt/format.h>

#include <algorithm>

namespace apogee::sim {
namespace {

// How many messages of the queue consumers may see.
std::int64_t VisibleCount(const MessageStore& store, const Model& model, const QueueId& id) {
  const auto& queue = model.Queue(id);
  return std::count_if(queue.begin(), queue.end(), [&](const SentMessage* message) {
    return message->end <= store.committed();
  });
}

std::string Name(const SentMessage& message) {
  return fmt::format("message {} ({}/{} offset {}, log {}..{})", message.id, message.queue.topic,
                     message.queue.queue, message.offset.value(), message.at.value(),
                     message.end.value());
}

std::string CheckRecord(const Result<RecordRef>& record, const SentMessage& message) {
  if (!record.ok()) {
    return fmt::format("{} cannot be read: {}", Name(message), record.error().ToString());
  }
  const auto view = DecodeRecord(record->bytes, CrcCheck::kVerify);
  if (!view.ok()) return fmt::format("{}: {}", Name(message), view.error().ToString());
  if (view->topic != message.queue.topic || view->queue_id != message.queue.queue ||
      view->queue_offset != message.offset || view->log_offset != message.at ||
      view->store_time_ms != message.store_time_ms || view->body != message.body ||
      view->bytes.size() != record->bytes.size()) {
    return fmt::format("{}: found {}/{} offset {} of log {}, body '{}'", Name(message), view->topic,
                       view->queue_id, view->queue_offset.value(), view->log_offset.value(),
                       view->body.substr(0, 20));
  }
  return {};
}

}  // namespace

std::string CheckPull(const MessageStore& store, const Model& model, const QueueId& id,
                      QueueOffset from, std::int32_t count) {
  const auto& queue = model.Queue(id);
  const std::int64_t visible = VisibleCount(store, model, id);
  const auto range = store.Range(id);
  const std::string where = fmt::format("queue {}/{}", id.topic, id.queue);
  const std::int64_t max = range ? range->max.value() : 0;
  if (range && range->min != QueueOffset(0)) {
    return fmt::format("{}: begins at {}", where, range->min.value());
  }
  if (max != visible) {
    return fmt::format("{}: ends at {}, {} of {} messages are before committed() {}", where, max,
                       visible, queue.size(), store.committed().value());
  }
  std::vector<QueueEntry> entries;
  if (const Status read = store.ReadEntries(id, from, count, &entries); !read.ok()) {
    return fmt::format("{}: {}", where, read.error().ToString());
  }
  const std::int64_t first = std::max<std::int64_t>(from.value(), 0);
  const std::int64_t expected = std::clamp<std::int64_t>(visible - first, 0, std::max(count, 0));
  if (static_cast<std::int64_t>(entries.size()) != expected) {
    return fmt::format("{}: {} entries from {} on, {} expected", where, entries.size(), first,
                       expected);
  }
  for (std::int64_t i = 0; i < expected; ++i) {
    const SentMessage& message = *queue[static_cast<std::size_t>(first + i)];
    const QueueEntry& entry = entries[static_cast<std::size_t>(i)];
    if (entry.at != message.at || entry.size != message.end - message.at ||
        entry.tag_code != message.tag_code) {
      return fmt::format("{}: entry {} is log {} size {} tag {}, but {} was sent", where, first + i,
                         entry.at.value(), entry.size, entry.tag_code, Name(message));
    }
    if (entry.at + entry.size > store.committed()) return where + ": an entry past committed()";
    if (std::string wrong = CheckRecord(store.Read(entry), message); !wrong.empty()) return wrong;
  }
  return {};
}

std::string CheckAll(const MessageStore& store, const Model& model) {
  if (store.flushed() > store.tail() || store.committed() > store.tail() ||
      store.start() > store.tail()) {
    return "start, committed, flushed and tail are out of order";
  }
  for (const QueueId& id : model.Queues()) {
    const auto size = static_cast<std::int32_t>(model.Queue(id).size());
    std::string wrong = CheckPull(store, model, id, QueueOffset(0), size + 1);
    if (!wrong.empty()) return wrong;
  }
  for (const QueueId& id : store.Queues()) {
    const auto range = store.Range(id);
    if (range && range->max > range->min && model.Queue(id).empty()) {
      return fmt::format("queue {}/{} has messages that nobody sent", id.topic, id.queue);
    }
  }
  return {};
}

std::string CheckReadAt(const MessageStore& store, const Model& model, Random& random) {
  if (model.messages().empty()) return {};
  auto pick = model.messages().begin();
  std::advance(pick, static_cast<std::ptrdiff_t>(random.Below(model.messages().size())));
  const SentMessage& message = pick->second;
  const Result<RecordRef> record = store.ReadAt(message.at);
  if (message.end > store.committed()) {
    return record.ok() ? Name(message) + " was read by place past committed()" : "";
  }
  if (std::string wrong = CheckRecord(record, message); !wrong.empty()) return wrong;
  const LogOffset inside = message.at + 1 + static_cast<std::int64_t>(random.Below(40));
  if (store.ReadAt(inside).ok()) return Name(message) + ": a record begins inside it";
  return {};
}

std::string CheckTimes(const MessageStore& store, const Model& model, const QueueId& id,
                       std::int64_t time_ms) {
  const auto& queue = model.Queue(id);
  const std::int64_t visible = VisibleCount(store, model, id);
  std::int64_t lower = visible;
  std::int64_t upper = 0;
  for (std::int64_t i = visible; i-- > 0;) {
    if (queue[static_cast<std::size_t>(i)]->store_time_ms >= time_ms) lower = i;
  }
  for (std::int64_t i = 0; i < visible; ++i) {
    if (queue[static_cast<std::size_t>(i)]->store_time_ms <= time_ms) upper = i;
  }
  for (const auto& [boundary, expected] :
       {std::pair(TimeBoundary::kLower, lower), std::pair(TimeBoundary::kUpper, upper)}) {
    const auto found = store.OffsetByTime(id, time_ms, boundary);
    if (!found.ok() || found->value() != expected) {
      return fmt::format("queue {}/{}: {} boundary of time {} is {}, not {}", id.topic, id.queue,
                         boundary == TimeBoundary::kLower ? "lower" : "upper", time_ms,
                         found.ok() ? fmt::to_string(found->value()) : found.error().ToString(),
                         expected);
    }
  }
  return {};
}

}  // namespace apogee::sim
