// One entry of a consume queue as its files hold it (Apache's "unit"), and how it is made from a
// record. docs/formats/consume_queue.md has a worked example.
//
//   0            8        12           20
//   | log offset | size   | tag code   |   big-endian; the unit's index in the queue is its queue
//                                          offset; a unit of zeros is not yet written
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "store/message_store.h"

namespace apogee {

inline constexpr std::int64_t kQueueUnitBytes = 8 + 4 + 8;

// Fills the places before the first real unit of a queue that does not begin with its file.
inline constexpr std::int32_t kFillerSize = 0x7FFFFFFF;
inline constexpr QueueEntry kFillerUnit{LogOffset(0), kFillerSize, 0};

void EncodeQueueUnit(const QueueEntry& entry, char* to);
QueueEntry DecodeQueueUnit(const char* from);

// A unit that was written, be it a filler.
inline bool IsUnitWritten(const QueueEntry& entry) {
  return entry.at.value() >= 0 && entry.size > 0;
}
// A unit that names a record.
inline bool IsUnitReal(const QueueEntry& entry) {
  return IsUnitWritten(entry) && entry.size != kFillerSize;
}

// Whether records with this sysFlag are messages of their queue at all: half messages and rollback
// marks are not, and an inner batch belongs to a batch queue (batchconsumequeue/), which is left
// as it is.
bool IsQueued(std::int32_t sys_flag);

// Whether the record takes a queue offset (RocketMQ: transaction types NONE and COMMIT).
bool TakesQueueOffset(std::int32_t sys_flag);

// The tag code: Java's hash of the tags, or the delivery time while a message waits in the
// schedule topic. Of two property strings the second is the later one, so it counts.
std::int64_t QueueTagCode(std::string_view topic, std::string_view properties,
                          std::string_view more_properties, std::int64_t store_time_ms);

}  // namespace apogee
