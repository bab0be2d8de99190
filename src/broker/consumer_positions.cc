#include "broker/consumer_positions.h"

#include <vector>

namespace apogee {

ConsumerPositions::ConsumerPositions(ConsumerOffsets& offsets, const TopicTable& topics,
                                     const GroupTable& groups, const MessageStore& store)
    : offsets_(offsets), topics_(topics), groups_(groups), store_(store) {}

Result<std::int64_t> ConsumerPositions::Query(std::string_view group, std::string_view topic,
                                              std::int32_t queue, bool zero_if_absent) const {
  if (const auto stored = offsets_.Find(group, topic, queue)) return *stored;
  if (!zero_if_absent) {
    return Fail(ErrorCode::kNotFound, "Not found, do not set to zero, maybe this group boot first");
  }
  const std::optional<QueueRange> range = store_.Range({topic, queue});
  if (range && range->min <= QueueOffset(0) && range->max > range->min) {
    std::vector<QueueEntry> first;
    if (store_.ReadEntries({topic, queue}, QueueOffset(0), 1, &first).ok() && !first.empty() &&
        store_.InMemory(first.front().at)) {
      return 0;
    }
  }
  return Fail(ErrorCode::kNotFound,
              "Not found, V3_0_6_SNAPSHOT maybe this group consumer boot first");
}

ConsumerPositions::CommitOutcome ConsumerPositions::Commit(std::string_view group,
                                                           std::string_view topic,
                                                           std::optional<std::int32_t> queue,
                                                           std::optional<std::int64_t> offset) {
  if (groups_.Find(group) == nullptr) return CommitOutcome::kNoGroup;
  if (topics_.Find(topic) == nullptr) return CommitOutcome::kNoTopic;
  if (!queue) return CommitOutcome::kNoQueue;
  if (!offset) return CommitOutcome::kNoOffset;
  offsets_.Commit(group, topic, *queue, *offset);
  // Deleted meanwhile: a topic created anew under the name must not start at this position.
  if (topics_.Find(topic) == nullptr) offsets_.RemoveTopic(topic);
  return CommitOutcome::kOk;
}

}  // namespace apogee
