#include "store/queue_table.h"

#include <algorithm>

namespace apogee {

QueueTable::Handle QueueTable::HandleOf(Shard& shard, const Key& key, ConsumeQueue& queue) {
  Handle handle;
  handle.shard_ = &shard;
  handle.queue_ = &queue;
  handle.topic_ = key.topic.get();
  handle.number_ = key.number;
  return handle;
}

QueueTable::Handle QueueTable::FindOrCreate(const QueueRef& id) {
  Shard& shard = ShardOf(id);
  {
    MutexLock lock(shard.mu);
    const auto found = shard.queues.find(id);
    if (found != shard.queues.end()) return HandleOf(shard, found->first, found->second);
  }
  Key key{Intern(id.topic), id.queue};
  MutexLock lock(shard.mu);
  const auto [place, inserted] = shard.queues.try_emplace(std::move(key));
  return HandleOf(shard, place->first, place->second);
}

void QueueTable::Push(const Handle& handle, const QueueEntry& entry) {
  {
    MutexLock lock(handle.shard_->mu);
    ConsumeQueue& queue = *handle.queue_;
    queue.Push(entry);
    if (!queue.dirty) {
      queue.dirty = true;
      handle.shard_->dirty.push_back(handle);
    }
  }
  pending_.fetch_add(1, std::memory_order_relaxed);
}

std::vector<QueueTable::Handle> QueueTable::TakeDirty() {
  std::vector<Handle> taken;
  for (Shard& shard : shards_) {
    MutexLock lock(shard.mu);
    taken.insert(taken.end(), shard.dirty.begin(), shard.dirty.end());
    shard.dirty.clear();
  }
  return taken;
}

std::int64_t QueueTable::CopyTail(const Handle& handle, LogOffset durable, std::size_t least,
                                  std::vector<QueueEntry>* out) const {
  out->clear();
  MutexLock lock(handle.shard_->mu);
  const ConsumeQueue& queue = *handle.queue_;
  const std::int64_t first = queue.first_in_tail();
  const auto count = static_cast<std::size_t>(queue.VisibleEnd(durable) - first);
  if (count >= least) {
    out->assign(queue.tail.begin(), queue.tail.begin() + static_cast<std::ptrdiff_t>(count));
  }
  return first;
}

void QueueTable::Written(const Handle& handle, std::size_t count) {
  {
    MutexLock lock(handle.shard_->mu);
    ConsumeQueue& queue = *handle.queue_;
    queue.tail.erase(queue.tail.begin(), queue.tail.begin() + static_cast<std::ptrdiff_t>(count));
    if (!queue.tail.empty()) {
      handle.shard_->dirty.push_back(handle);
    } else {
      queue.dirty = false;
      if (!queue.cooling) {
        queue.cooling = true;
        handle.shard_->cooling.push_back(handle);
      }
    }
  }
  pending_.fetch_sub(static_cast<std::int64_t>(count), std::memory_order_relaxed);
}

void QueueTable::CoolDown() {
  for (Shard& shard : shards_) {
    MutexLock lock(shard.mu);
    for (const Handle& handle : shard.cooling) {
      ConsumeQueue& queue = *handle.queue_;
      queue.cooling = false;
      if (queue.tail.empty()) std::vector<QueueEntry>().swap(queue.tail);
    }
    shard.cooling.clear();
    if (shard.cooling.capacity() > 4096) shard.cooling.shrink_to_fit();
    if (shard.dirty.empty() && shard.dirty.capacity() > 4096) shard.dirty.shrink_to_fit();
  }
}

void QueueTable::Restore(const QueueRef& id, const Bounds& bounds) {
  const Handle handle = FindOrCreate(id);
  std::int64_t dropped = 0;
  {
    MutexLock lock(handle.shard_->mu);
    ConsumeQueue& queue = *handle.queue_;
    dropped = static_cast<std::int64_t>(queue.tail.size());
    queue.tail.clear();
    queue.min = bounds.min;
    queue.max = bounds.max;
    queue.last_at = bounds.last_at;
  }
  pending_.fetch_sub(dropped, std::memory_order_relaxed);
}

std::vector<QueueId> QueueTable::All() const {
  std::vector<QueueId> all;
  for (const Shard& shard : shards_) {
    MutexLock lock(shard.mu);
    for (const auto& [key, queue] : shard.queues) all.push_back({*key.topic, key.number});
  }
  std::sort(all.begin(), all.end());
  return all;
}

std::vector<std::int32_t> QueueTable::NumbersOf(std::string_view topic) const {
  std::vector<std::int32_t> numbers;
  for (const Shard& shard : shards_) {
    MutexLock lock(shard.mu);
    for (const auto& [key, queue] : shard.queues) {
      if (*key.topic == topic) numbers.push_back(key.number);
    }
  }
  return numbers;
}

void QueueTable::Erase(const QueueRef& id) {
  Shard& shard = ShardOf(id);
  std::int64_t dropped = 0;
  {
    MutexLock lock(shard.mu);
    const auto found = shard.queues.find(id);
    if (found == shard.queues.end()) return;
    const auto is_it = [&](const Handle& handle) { return handle.queue_ == &found->second; };
    std::erase_if(shard.dirty, is_it);
    std::erase_if(shard.cooling, is_it);
    dropped = static_cast<std::int64_t>(found->second.tail.size());
    shard.queues.erase(found);
  }
  DropName(id.topic);
  pending_.fetch_sub(dropped, std::memory_order_relaxed);
}

void QueueTable::EraseAll() {
  for (Shard& shard : shards_) {
    MutexLock lock(shard.mu);
    shard.dirty.clear();
    shard.cooling.clear();
    shard.queues.clear();
  }
  {
    MutexLock lock(names_mu_);
    names_.clear();
  }
  pending_.store(0, std::memory_order_relaxed);
}

std::shared_ptr<const std::string> QueueTable::Intern(std::string_view topic) {
  MutexLock lock(names_mu_);
  const auto found = names_.find(topic);
  if (found != names_.end()) return found->second;
  auto name = std::make_shared<const std::string>(topic);
  names_.emplace(*name, name);
  return name;
}

void QueueTable::DropName(std::string_view topic) {
  MutexLock lock(names_mu_);
  const auto found = names_.find(topic);
  if (found != names_.end() && found->second.use_count() == 1) {
    const auto name = std::move(found->second);  // The key must live until it is out of the map.
    names_.erase(found);
  }
}

}  // namespace apogee
