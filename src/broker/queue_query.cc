#include "broker/queue_query.h"

#include <optional>

namespace apogee {

std::int64_t QueueQuery::MinOffset(const QueueRef& queue) const {
  const std::optional<QueueRange> range = store_.Range(queue);
  return range ? range->min.value() : 0;
}

std::int64_t QueueQuery::MaxOffset(const QueueRef& queue) const {
  const std::optional<QueueRange> range = store_.Range(queue);
  return range ? range->max.value() : 0;
}

Result<std::int64_t> QueueQuery::OffsetByTime(const QueueRef& queue, std::int64_t time_ms,
                                              TimeBoundary boundary) const {
  AP_TRY(const QueueOffset offset, store_.OffsetByTime(queue, time_ms, boundary));
  return offset.value();
}

std::int64_t QueueQuery::EarliestStoreTimeMs(const QueueRef& queue) const {
  const std::optional<QueueRange> range = store_.Range(queue);
  if (!range || range->min == range->max) return -1;
  return store_.StoreTimeAt(queue, range->min);
}

Result<RecordRef> QueueQuery::MessageAt(LogOffset at) const {
  if (at.value() < 0) return Fail(ErrorCode::kNotFound, "a negative offset");
  return store_.ReadAt(at);
}

}  // namespace apogee
