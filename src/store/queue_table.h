// All consume queues, found by topic and number without allocation.
//
// Threads: any; each shard has a mutex that is held for nanoseconds. Two rules make a Handle safe
// without counting references: queues are created and grown by the appender alone (who holds the
// log's mutex), and a queue is erased only by a caller that holds both the log's mutex and the
// queue writer's. So a handle lives as long as its owner holds either of the two.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/mutex.h"
#include "store/consume_queue.h"
#include "store/queue_id.h"

namespace apogee {

class QueueTable {
  struct Shard;

 public:
  class Handle {
   public:
    QueueRef id() const { return {*topic_, number_}; }

   private:
    friend class QueueTable;
    Shard* shard_ = nullptr;
    ConsumeQueue* queue_ = nullptr;
    const std::string* topic_ = nullptr;
    std::int32_t number_ = 0;
  };

  // For the appender.
  Handle FindOrCreate(const QueueRef& id);
  // Where the next message of the queue goes. Appender only: nobody else moves it.
  std::int64_t NextOffset(const Handle& handle) const { return handle.queue_->max; }
  void Push(const Handle& handle, const QueueEntry& entry);

  // Calls `see` with the queue, locked: return at once, call nobody. False when there is none.
  template <typename See>
  bool With(const QueueRef& id, See see) const {
    const Shard& shard = ShardOf(id);
    MutexLock lock(shard.mu);
    const auto found = shard.queues.find(id);
    if (found == shard.queues.end()) return false;
    see(found->second);
    return true;
  }

  // For the queue writer. Takes the list of queues that have a tail; each must be handed back by
  // Written.
  std::vector<Handle> TakeDirty();
  // The first entries of the tail whose records end at or before `durable`; returns the queue
  // offset of the first one. Nothing when there are fewer than `least`.
  std::int64_t CopyTail(const Handle& handle, LogOffset durable, std::size_t least,
                        std::vector<QueueEntry>* out) const;
  // The first `count` entries of the tail are in the files now.
  void Written(const Handle& handle, std::size_t count);
  // Gives back the memory of tails that were empty at the last call too.
  void CoolDown();
  // Entries in all tails.
  std::int64_t pending() const { return pending_.load(std::memory_order_relaxed); }

  // For recovery and deletion.
  struct Bounds {
    std::int64_t min = 0;
    std::int64_t max = 0;
    std::int64_t last_at = -1;
  };
  // Sets a queue to what its files hold, with an empty tail.
  void Restore(const QueueRef& id, const Bounds& bounds);
  std::vector<QueueId> All() const;
  std::vector<std::int32_t> NumbersOf(std::string_view topic) const;
  void Erase(const QueueRef& id);
  void EraseAll();

 private:
  struct Key {
    std::shared_ptr<const std::string> topic;  // Shared by all queues of the topic.
    std::int32_t number = 0;
  };
  static QueueRef RefOf(const Key& key) { return {*key.topic, key.number}; }
  static QueueRef RefOf(const QueueRef& id) { return id; }
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(const auto& key) const { return QueueHash{}(RefOf(key)); }
  };
  struct Equal {
    using is_transparent = void;
    bool operator()(const auto& a, const auto& b) const { return RefOf(a) == RefOf(b); }
  };
  struct Shard {
    mutable Mutex mu;
    std::unordered_map<Key, ConsumeQueue, Hash, Equal> queues AP_GUARDED_BY(mu);
    std::vector<Handle> dirty AP_GUARDED_BY(mu);
    std::vector<Handle> cooling AP_GUARDED_BY(mu);
  };

  static constexpr std::size_t kShards = 64;

  static std::size_t ShardNumber(const QueueRef& id) {
    const std::size_t hash = QueueHash{}(id);
    return (hash ^ (hash >> 20)) % kShards;
  }
  Shard& ShardOf(const QueueRef& id) { return shards_[ShardNumber(id)]; }
  const Shard& ShardOf(const QueueRef& id) const { return shards_[ShardNumber(id)]; }
  std::shared_ptr<const std::string> Intern(std::string_view topic);
  void DropName(std::string_view topic);
  static Handle HandleOf(Shard& shard, const Key& key, ConsumeQueue& queue);

  std::array<Shard, kShards> shards_;
  std::atomic<std::int64_t> pending_{0};
  Mutex names_mu_;
  // By a view into the name itself; dropped with the topic's last queue.
  std::unordered_map<std::string_view, std::shared_ptr<const std::string>> names_
      AP_GUARDED_BY(names_mu_);
};

}  // namespace apogee
