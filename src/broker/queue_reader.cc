#include "broker/queue_reader.h"

#include <algorithm>

#include "message/record.h"

namespace apogee {
namespace {

constexpr std::int32_t kEntryBytes = 20;
constexpr std::int32_t kEntriesAtOnce = 64;
// Whatever number of messages a client asks for: this runs on an event loop.
constexpr std::int32_t kScanEntriesMax = 10'000;

}  // namespace

Result<QueueRead> QueueReader::Read(const QueueRef& queue, std::int64_t offset,
                                    std::int32_t max_messages, std::int32_t max_bytes,
                                    const TagFilter& filter, const ReadLimits& limits) const {
  QueueRead read;
  const std::optional<QueueRange> range = store_.Range(queue);
  if (!range || range->max.value() == 0) return read;  // Next is 0: where it will begin.
  read.min = range->min.value();
  read.max = range->max.value();
  read.next = offset;
  if (offset < read.min) {
    read.state = ReadState::kTooSmall;
    read.next = read.min;
    return read;
  }
  if (offset == read.max) {
    read.state = ReadState::kAtEnd;
    return read;
  }
  if (offset > read.max) {
    read.state = ReadState::kBehindEnd;
    read.next = read.max;
    return read;
  }

  const std::int32_t messages = std::min(max_messages, limits.messages_max);
  const std::int64_t bytes_max =
      max_bytes > 0 ? std::min(max_bytes, limits.bytes_max) : limits.bytes_max;
  const std::int64_t scan =
      std::max(limits.scan_bytes_max / kEntryBytes, std::min(max_messages, kScanEntriesMax));
  const std::int64_t scan_end = std::min(read.max, offset + scan);
  const std::int32_t at_once =
      filter.passes_all() ? std::clamp(messages, 1, kEntriesAtOnce) : kEntriesAtOnce;

  // The last answer's entries are dead by now: one buffer a thread serves all reads.
  thread_local std::vector<QueueEntry> entries;
  std::int64_t bytes = 0;
  bool removed = false;
  bool full = false;
  while (!full && read.next < scan_end) {
    entries.clear();
    const auto count = std::min<std::int64_t>(at_once, scan_end - read.next);
    AP_RETURN_IF_ERROR(store_.ReadEntries(queue, QueueOffset(read.next),
                                          static_cast<std::int32_t>(count), &entries));
    if (entries.empty()) break;
    for (const QueueEntry& entry : entries) {
      if (filter.Passes(entry.tag_code)) {
        const auto held = static_cast<std::int32_t>(read.records.size());
        full = held > 0 && (held >= messages || bytes + entry.size > bytes_max);
        if (full) break;
        Result<RecordRef> record = store_.Read(entry);
        if (record.ok() && Belongs(record->bytes, queue, read.next, entry.at)) {
          if (read.records.empty()) {
            read.records.reserve(static_cast<std::size_t>(std::clamp(messages, 1, 32)));
          }
          bytes += static_cast<std::int64_t>(record->bytes.size());
          read.records.push_back(*std::move(record));
        } else {
          removed |= !record.ok() && record.error().code() == ErrorCode::kNotFound;
        }
      }
      ++read.next;
    }
  }
  if (!read.records.empty()) {
    read.state = ReadState::kFound;
  } else if (read.next == offset) {
    read.state = ReadState::kEntryMissing;
  } else {
    read.state = removed ? ReadState::kRemoved : ReadState::kNoMatch;
  }
  return read;
}

bool QueueReader::Belongs(std::string_view record, const QueueRef& queue, std::int64_t offset,
                          LogOffset at) const {
  const Result<RecordView> view = DecodeRecord(record, CrcCheck::kSkip);
  if (view.ok() && view->queue_offset.value() == offset && view->queue_id == queue.queue &&
      view->log_offset == at && view->topic == queue.topic && view->bytes.size() == record.size()) {
    return true;
  }
  std::int64_t suppressed = 0;
  if (foreign_lines_.Allow(clock_.MonotonicMs(), &suppressed)) {
    LogWarning(
        "queue {}/{} entry {} names the log at {}, where another message or none stands: "
        "not served ({} such lines held back)",
        queue.topic, queue.queue, offset, at.value(), suppressed);
  }
  return false;
}

}  // namespace apogee
