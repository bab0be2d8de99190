#include "broker/queue_locks.h"

namespace apogee {
namespace {

// Apache's rocketmq.broker.rebalance.lockMaxLiveTime.
constexpr std::int64_t kLockLifeMs = 60'000;

}  // namespace

std::vector<QueueId> QueueLocks::Lock(std::string_view group, std::string_view client_id,
                                      const std::vector<QueueId>& queues) {
  const std::int64_t now = clock_.MonotonicMs();
  std::vector<QueueId> held;
  MutexLock lock(mu_);
  DropExpired(now);
  if (queues.empty()) return held;
  auto group_at = locks_.find(group);
  if (group_at == locks_.end()) group_at = locks_.try_emplace(std::string(group)).first;
  for (const QueueId& queue : queues) {
    Holder& holder = group_at->second[queue];
    const bool free = holder.client_id.empty() || now - holder.refreshed_ms > kLockLifeMs;
    if (!free && holder.client_id != client_id) continue;
    holder.client_id = client_id;
    holder.refreshed_ms = now;
    held.push_back(queue);
  }
  return held;
}

// Once per life of a lock, so that groups which are gone take no room.
void QueueLocks::DropExpired(std::int64_t now) {
  if (now < next_sweep_ms_) return;
  next_sweep_ms_ = now + kLockLifeMs;
  for (auto& [group, queues] : locks_) {
    std::erase_if(queues,
                  [&](const auto& entry) { return now - entry.second.refreshed_ms > kLockLifeMs; });
  }
  std::erase_if(locks_, [](const auto& entry) { return entry.second.empty(); });
}

void QueueLocks::Unlock(std::string_view group, std::string_view client_id,
                        const std::vector<QueueId>& queues) {
  MutexLock lock(mu_);
  const auto group_at = locks_.find(group);
  if (group_at == locks_.end()) return;
  for (const QueueId& queue : queues) {
    const auto at = group_at->second.find(queue);
    if (at != group_at->second.end() && at->second.client_id == client_id) {
      group_at->second.erase(at);
    }
  }
  if (group_at->second.empty()) locks_.erase(group_at);
}

bool QueueLocks::AnyHeld(std::string_view group) const {
  const std::int64_t now = clock_.MonotonicMs();
  MutexLock lock(mu_);
  const auto group_at = locks_.find(group);
  if (group_at == locks_.end()) return false;
  for (const auto& [queue, holder] : group_at->second) {
    if (now - holder.refreshed_ms <= kLockLifeMs) return true;
  }
  return false;
}

void QueueLocks::RemoveTopic(std::string_view topic) {
  MutexLock lock(mu_);
  for (auto& [group, queues] : locks_) {
    std::erase_if(queues, [&](const auto& entry) { return entry.first.topic == topic; });
  }
  std::erase_if(locks_, [](const auto& entry) { return entry.second.empty(); });
}

}  // namespace apogee
