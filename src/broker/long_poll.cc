#include "broker/long_poll.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <unordered_set>
#include <utility>

#include "filter/tag_filter.h"

namespace apogee {
namespace {

constexpr std::chrono::milliseconds kScanPeriod{100};
constexpr std::int64_t kHoldMsMax = 3'600'000;  // Whatever a client asks for.
constexpr std::size_t kEmptiedQueuesMax = 64;

bool Passes(const std::shared_ptr<const Subscription>& filter, std::int64_t tag_code) {
  return !filter || TagFilter(*filter).Passes(tag_code);
}

}  // namespace

LongPoll::LongPoll(const LongPollOptions& options, const MessageStore& store, Clock& clock,
                   Workers& workers)
    : options_(options), store_(store), clock_(clock) {
  worker_ = workers.Start("hold", [this] { return Look(); });
}

LongPoll::~LongPoll() = default;

LongPoll::Shard& LongPoll::ShardOf(const QueueRef& queue) {
  return shards_[QueueHash{}(queue) % shards_.size()];
}

LongPoll::Held LongPoll::Hold(const Wish& wish, std::unique_ptr<HeldPull>& pull) {
  if (waiting_.fetch_add(1, std::memory_order_seq_cst) >= options_.waiting_max) {
    waiting_.fetch_sub(1, std::memory_order_relaxed);
    return Held::kFull;
  }
  const std::int64_t wait_ms = options_.long_polling
                                   ? std::clamp<std::int64_t>(wish.wait_ms, 0, kHoldMsMax)
                                   : options_.short_polling_ms;
  const std::uint64_t id = next_id_.fetch_add(1, std::memory_order_relaxed);
  const std::int64_t deadline = clock_.MonotonicMs() + wait_ms;
  Shard& shard = ShardOf(wish.queue);
  {
    MutexLock lock(shard.mu);
    // Asked under the lock: Stop empties each shard under it, after it has set the flag.
    if (stopped_.load(std::memory_order_seq_cst)) {
      waiting_.fetch_sub(1, std::memory_order_relaxed);
      return Held::kStopped;
    }
    auto at = shard.queues.find(wish.queue);
    if (at == shard.queues.end()) {
      at = shard.queues.try_emplace({std::string(wish.queue.topic), wish.queue.queue}).first;
    } else if (at->second.empty() && shard.emptied > 0) {
      --shard.emptied;
    }
    at->second.push_back({id, wish.client, wish.offset, deadline, wish.filter, std::move(pull)});
    shard.first_deadline_ms = std::min(shard.first_deadline_ms, deadline);
  }
  // What arrived between the client's look and now found nobody waiting. Either we see it here, or
  // its OnArrival sees us: both sides write first, then read, with a full fence between.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  const std::optional<QueueRange> range = store_.Range(wish.queue);
  if (range && range->max.value() > wish.offset && TakeBack(wish.queue, id, pull)) {
    return Held::kArrived;
  }
  if (!scanning_.exchange(true, std::memory_order_seq_cst)) worker_->Wake();
  return Held::kHeld;
}

bool LongPoll::TakeBack(const QueueRef& queue, std::uint64_t id, std::unique_ptr<HeldPull>& pull) {
  Shard& shard = ShardOf(queue);
  MutexLock lock(shard.mu);
  const auto at = shard.queues.find(queue);
  if (at == shard.queues.end()) return false;
  const auto waiter =
      std::ranges::find_if(at->second, [&](const Waiter& one) { return one.id == id; });
  if (waiter == at->second.end()) return false;
  pull = std::move(waiter->pull);
  at->second.erase(waiter);
  if (at->second.empty()) ++shard.emptied;
  waiting_.fetch_sub(1, std::memory_order_relaxed);
  return true;
}

void LongPoll::OnArrival(const QueueRef& queue, QueueOffset next, std::int64_t tag_code) {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (waiting_.load(std::memory_order_relaxed) == 0) return;
  Pulls woken;
  Shard& shard = ShardOf(queue);
  {
    MutexLock lock(shard.mu);
    const auto at = shard.queues.find(queue);
    if (at == shard.queues.end() || at->second.empty()) return;
    Waiters& waiters = at->second;
    std::erase_if(waiters, [&](Waiter& waiter) {
      if (next.value() <= waiter.seen) return false;
      // Several messages at once, of which only the newest one's code is told: let the client look.
      const bool several = next.value() - waiter.seen > 1;
      waiter.seen = next.value();
      if (!several && !Passes(waiter.filter, tag_code)) return false;
      woken.push_back(std::move(waiter.pull));
      return true;
    });
    if (waiters.empty()) ++shard.emptied;
    waiting_.fetch_sub(static_cast<std::int64_t>(woken.size()), std::memory_order_relaxed);
  }
  ResumeAll(std::move(woken));
}

template <typename Wanted>
LongPoll::Pulls LongPoll::TakeOut(Shard& shard, Wanted wanted) {
  Pulls taken;
  std::int64_t first = kNever;
  for (auto at = shard.queues.begin(); at != shard.queues.end();) {
    std::erase_if(at->second, [&](Waiter& waiter) {
      if (!wanted(waiter)) {
        first = std::min(first, waiter.deadline_ms);
        return false;
      }
      taken.push_back(std::move(waiter.pull));
      return true;
    });
    at = at->second.empty() ? shard.queues.erase(at) : std::next(at);
  }
  shard.emptied = 0;
  shard.first_deadline_ms = first;
  waiting_.fetch_sub(static_cast<std::int64_t>(taken.size()), std::memory_order_relaxed);
  return taken;
}

Workers::Wait LongPoll::Look() {
  DropGone();
  ResumeExpired();
  if (waiting_.load(std::memory_order_seq_cst) > 0) {
    scanning_.store(true, std::memory_order_seq_cst);
    return kScanPeriod;
  }
  // One more look before sleeping for good: with traffic, pulls come and go all the time, and a
  // wake for each would cost more than the looks.
  if (scanning_.exchange(false, std::memory_order_seq_cst)) return kScanPeriod;
  return Workers::kUntilWoken;
}

void LongPoll::ResumeExpired() {
  const std::int64_t now = clock_.MonotonicMs();
  for (Shard& shard : shards_) {
    Pulls expired;
    {
      MutexLock lock(shard.mu);
      if (shard.first_deadline_ms > now && shard.emptied <= kEmptiedQueuesMax) continue;
      expired = TakeOut(shard, [&](const Waiter& waiter) { return waiter.deadline_ms <= now; });
    }
    ResumeAll(std::move(expired));
  }
}

void LongPoll::DropClient(std::uint64_t client) {
  if (waiting_.load(std::memory_order_seq_cst) == 0) return;
  MutexLock lock(gone_mu_);
  gone_.push_back(client);
}

void LongPoll::DropGone() {
  std::unordered_set<std::uint64_t> gone;
  {
    MutexLock lock(gone_mu_);
    if (gone_.empty()) return;
    gone.insert(gone_.begin(), gone_.end());
    gone_.clear();
  }
  for (Shard& shard : shards_) {
    Pulls dropped;  // Destroyed after the lock is gone.
    MutexLock lock(shard.mu);
    dropped = TakeOut(shard, [&](const Waiter& waiter) { return gone.contains(waiter.client); });
  }
}

void LongPoll::Stop() {
  stopped_.store(true, std::memory_order_seq_cst);
  for (Shard& shard : shards_) {
    Pulls all;
    {
      MutexLock lock(shard.mu);
      all = TakeOut(shard, [](const Waiter&) { return true; });
    }
    ResumeAll(std::move(all));
  }
}

void LongPoll::ResumeAll(Pulls pulls) {
  for (std::unique_ptr<HeldPull>& pull : pulls) {
    HeldPull& it = *pull;
    it.Resume(std::move(pull));
  }
}

}  // namespace apogee
