#include "sim/positions.h"

#include <fmt/format.h>

#include <algorithm>

namespace apogee::sim {

void Positions::Commit(const QueueId& queue, std::int64_t offset, Random& random) {
  const std::string group = fmt::format("group{}", random.Below(3));
  Bounds& bounds = bounds_[{group, queue}];
  bounds.committed = std::max(bounds.committed, offset);
  offsets_->Commit(group, queue.topic, queue.queue, bounds.committed);
}

void Positions::Persist() {
  if (!offsets_->Persist().ok()) return;
  for (auto& [key, bounds] : bounds_) bounds.persisted = bounds.committed;
}

std::string Positions::Start(bool dying) {
  offsets_ = std::make_unique<ConsumerOffsets>(MetadataFile(path_, fs_, clock_), clock_);
  if (dying) return {};
  std::string wrong;
  for (auto& [key, bounds] : bounds_) {
    const auto& [group, queue] = key;
    const std::int64_t found = offsets_->Find(group, queue.topic, queue.queue).value_or(-1);
    if (found < bounds.persisted || found > bounds.committed) {
      wrong =
          fmt::format("the position of {} in {}/{} is {}, {} was persisted and {} committed", group,
                      queue.topic, queue.queue, found, bounds.persisted, bounds.committed);
    }
    // What was found may be in the page cache alone: it counts again when it is persisted.
    bounds.committed = found;
  }
  return wrong;
}

}  // namespace apogee::sim
