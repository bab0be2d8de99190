// What is in memory of one consume queue: where it begins and ends, and the entries that its files
// do not hold yet. An idle queue is this and nothing else: no mapping, no open file, no lock.
//
//   min ......... first_in_tail() ......... max
//   in the files  | in `tail`, written behind by store/queue_writer
#pragma once

#include <cstdint>
#include <vector>

#include "base/check.h"
#include "base/ids.h"
#include "store/queue_unit.h"

namespace apogee {

// Guarded by the mutex of its shard (store/queue_table.h).
struct ConsumeQueue {
  std::int64_t min = 0;
  std::int64_t max = 0;
  std::int64_t last_at = -1;  // Log offset of the newest entry's record; -1 before the first.
  std::vector<QueueEntry> tail;
  bool dirty = false;    // In the shard's list of queues with a tail to write.
  bool cooling = false;  // Tail written and empty; its memory goes if nothing comes.

  std::int64_t first_in_tail() const { return max - static_cast<std::int64_t>(tail.size()); }

  void Push(const QueueEntry& entry) {
    tail.push_back(entry);
    last_at = entry.at.value();
    ++max;
  }

  // Where the record of an entry ends; fillers end nowhere.
  static LogOffset EndOf(const QueueEntry& entry) {
    return IsUnitReal(entry) ? entry.at + entry.size : entry.at;
  }

  // The end of what consumers may see: entries whose records end at or before `committed`. Entries
  // leave the tail only after they have become visible.
  std::int64_t VisibleEnd(LogOffset committed) const {
    if (tail.empty() || EndOf(tail.back()) <= committed) return max;
    std::size_t low = 0;
    std::size_t high = tail.size();
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      if (EndOf(tail[middle]) <= committed) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return first_in_tail() + static_cast<std::int64_t>(low);
  }
};

static_assert(sizeof(ConsumeQueue) <= 64, "a million idle queues must stay small");

}  // namespace apogee
