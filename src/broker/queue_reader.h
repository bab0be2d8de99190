// Reads what one pull gets of one queue: walks entries from an offset, filters by tag code, and
// gathers records up to RocketMQ's limits.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/log.h"
#include "env/clock.h"
#include "filter/tag_filter.h"
#include "store/message_store.h"

namespace apogee {

struct ReadLimits {
  std::int32_t messages_max = 32;           // maxTransferCountOnMessageInMemory
  std::int32_t bytes_max = 256 * 1024;      // maxTransferBytesOnMessageInMemory
  std::int32_t scan_bytes_max = 16 * 1000;  // maxFilterMessageSize, in bytes of queue entries
};

enum class ReadState {
  kFound,
  kNoMatch,       // Entries were there, none passed.
  kRemoved,       // Entries were there, their records are not any more.
  kQueueEmpty,    //
  kTooSmall,      // Offset before the first entry.
  kAtEnd,         // Offset of the next entry to come.
  kBehindEnd,     //
  kEntryMissing,  // Within the bounds, yet no entry could be read.
};

struct QueueRead {
  ReadState state = ReadState::kQueueEmpty;
  std::int64_t next = 0;
  std::int64_t min = 0;
  std::int64_t max = 0;
  std::vector<RecordRef> records;
};

// Threads: any.
class QueueReader {
 public:
  // Both must outlive the reader.
  QueueReader(const MessageStore& store, Clock& clock) : store_(store), clock_(clock) {}

  // At most `max_messages` records and `max_bytes` bytes, and never more than `limits` allow; one
  // record always, when one passes. Every record given belongs to the queue and the offset: a queue
  // file that a crash left wrong must not hand out other topics' bytes.
  Result<QueueRead> Read(const QueueRef& queue, std::int64_t offset, std::int32_t max_messages,
                         std::int32_t max_bytes, const TagFilter& filter,
                         const ReadLimits& limits) const;

 private:
  bool Belongs(std::string_view record, const QueueRef& queue, std::int64_t offset,
               LogOffset at) const;

  const MessageStore& store_;
  Clock& clock_;
  mutable LogRateLimit foreign_lines_{10'000};
};

}  // namespace apogee
