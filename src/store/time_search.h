// Binary search for a queue offset by store time.
#pragma once

#include <cstdint>

#include "store/message_store.h"

namespace apogee {

// `store_time(offset)` for offsets in [min, max), ascending. See MessageStore::OffsetByTime.
template <typename StoreTime>
QueueOffset SearchByTime(QueueRange range, std::int64_t time_ms, TimeBoundary boundary,
                         StoreTime store_time) {
  // The first offset that is stored at or after (lower) or after (upper) `time_ms`.
  std::int64_t low = range.min.value();
  std::int64_t high = range.max.value();
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    const std::int64_t time = store_time(QueueOffset(middle));
    if (time < time_ms || (boundary == TimeBoundary::kUpper && time == time_ms)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  if (boundary == TimeBoundary::kLower) return QueueOffset(low);
  return low == range.min.value() ? QueueOffset(0) : QueueOffset(low - 1);
}

}  // namespace apogee
