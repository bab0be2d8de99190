// What a queue holds: its bounds, offsets by time, and single messages by place (codes 29 to 33).
// A queue that does not exist is an empty one: asking neither fails nor creates it.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "store/message_store.h"

namespace apogee {

// Threads: any. `store` must outlive it.
class QueueQuery {
 public:
  explicit QueueQuery(const MessageStore& store) : store_(store) {}

  std::int64_t MinOffset(const QueueRef& queue) const;
  // Of the next message to come.
  std::int64_t MaxOffset(const QueueRef& queue) const;
  // Lower: the first message stored at or after `time_ms`; upper: the last at or before.
  Result<std::int64_t> OffsetByTime(const QueueRef& queue, std::int64_t time_ms,
                                    TimeBoundary boundary) const;
  // Store time of the oldest message; -1 without one.
  std::int64_t EarliestStoreTimeMs(const QueueRef& queue) const;
  // How full the log and its disk are.
  struct LogUsage {
    std::int64_t start = 0;
    std::int64_t tail = 0;
    MessageStore::Usage disk;
  };
  LogUsage GetLogUsage() const {
    return {store_.start().value(), store_.tail().value(), store_.GetUsage()};
  }
  // The record that begins at `at` in the log. kNotFound.
  Result<RecordRef> MessageAt(LogOffset at) const;

 private:
  const MessageStore& store_;
};

}  // namespace apogee
