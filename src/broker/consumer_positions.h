// Asking for and committing a group's position in a queue (codes 14 and 15).
//
// Which start a group without a position gets: 0 when the queue's first message is still number 0
// and counts as in memory (MessageStore::InMemory: within accessMessageInMemoryMaxRatio of the RAM
// behind the log's tail), so that a group that boots first misses nothing of a young queue;
// otherwise "not found", and the client applies its ConsumeFromWhere. The answer depends on the
// store's content alone and not on what the kernel has cached. Threads: any.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "broker/consumer_offsets.h"
#include "broker/group_table.h"
#include "broker/topic_table.h"
#include "store/message_store.h"

namespace apogee {

class ConsumerPositions {
 public:
  // All must outlive this.
  ConsumerPositions(ConsumerOffsets& offsets, const TopicTable& topics, const GroupTable& groups,
                    const MessageStore& store);

  // kNotFound with RocketMQ's text. `zero_if_absent` = setZeroIfNotFound, true when not given.
  Result<std::int64_t> Query(std::string_view group, std::string_view topic, std::int32_t queue,
                             bool zero_if_absent) const;

  enum class CommitOutcome { kOk, kNoGroup, kNoTopic, kNoQueue, kNoOffset };
  // Checked in this order, as 5.5.0 does; a position beyond the end or below the one before is
  // taken.
  CommitOutcome Commit(std::string_view group, std::string_view topic,
                       std::optional<std::int32_t> queue, std::optional<std::int64_t> offset);

 private:
  ConsumerOffsets& offsets_;
  const TopicTable& topics_;
  const GroupTable& groups_;
  const MessageStore& store_;
};

}  // namespace apogee
