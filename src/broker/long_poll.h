// Pulls that found nothing new wait here until something arrives that their filter passes, or their
// time is up. Then they are resumed, which means: asked again, and answered whatever comes of it.
//
// Nobody waiting costs an arrival one load. Waiting pulls are kept by queue, in shards with a lock
// each, so that arrivals of different queues do not meet. A worker (`hold`) looks for those whose
// time is up, ten times a second while there are any.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/mutex.h"
#include "env/clock.h"
#include "env/workers.h"
#include "message/subscription.h"
#include "store/arrival_listener.h"
#include "store/message_store.h"

namespace apogee {

// A pull that waits; implemented by the front door that has to answer it.
class HeldPull {
 public:
  virtual ~HeldPull() = default;  // Without a Resume: the client is gone.
  // Called at most once, on an appending thread, a worker, or the thread that stops the broker;
  // takes over its own lifetime. Post to the client's loop, do not work here.
  virtual void Resume(std::unique_ptr<HeldPull> self) = 0;
};

struct LongPollOptions {
  bool long_polling = true;              // longPollingEnable
  std::int64_t short_polling_ms = 1000;  // shortPollingTimeMills: what holds last without it
  std::int64_t waiting_max = 200'000;    // Beyond it pulls are refused as busy.
};

// Threads: any. Lifetime: `store`, `clock` and `workers` outlive it; it outlives the store's use of
// it as a listener.
class LongPoll : public ArrivalListener {
 public:
  LongPoll(const LongPollOptions& options, const MessageStore& store, Clock& clock,
           Workers& workers);
  ~LongPoll() override;

  struct Wish {
    QueueRef queue;
    std::int64_t offset = 0;  // The next message the client wants; the queue ends before it.
    std::shared_ptr<const Subscription> filter;  // nullptr: any message will do.
    std::int64_t wait_ms = 0;
    std::uint64_t client = 0;
  };
  enum class Held {
    kHeld,     // `pull` was taken; it will be resumed or dropped.
    kArrived,  // Something arrived in the meantime: ask again at once.
    kFull,     // Too many wait.
    kStopped,  // The broker is stopping: answer what there is.
  };
  Held Hold(const Wish& wish, std::unique_ptr<HeldPull>& pull);

  void OnArrival(const QueueRef& queue, QueueOffset next, std::int64_t tag_code) override;

  // The client is gone: what it waits for is dropped by the worker's next look, for many clients in
  // one walk.
  void DropClient(std::uint64_t client);
  // Resumes all; nothing is held from here on.
  void Stop();

  std::int64_t waiting() const { return waiting_.load(std::memory_order_relaxed); }

 private:
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

  struct Waiter {
    std::uint64_t id = 0;
    std::uint64_t client = 0;
    std::int64_t seen = 0;  // The filter has said no to everything that arrived before.
    std::int64_t deadline_ms = 0;
    std::shared_ptr<const Subscription> filter;
    std::unique_ptr<HeldPull> pull;
  };
  using Waiters = std::vector<Waiter>;
  struct Shard {
    Mutex mu;
    std::unordered_map<QueueId, Waiters, QueueHash, QueueEqual> queues AP_GUARDED_BY(mu);
    std::int64_t first_deadline_ms AP_GUARDED_BY(mu) = kNever;  // No waiter's is earlier.
    std::size_t emptied AP_GUARDED_BY(mu) = 0;                  // Queues left without waiters.
  };
  using Pulls = std::vector<std::unique_ptr<HeldPull>>;

  Shard& ShardOf(const QueueRef& queue);
  // Takes back one that Hold put in; false when it was resumed meanwhile.
  bool TakeBack(const QueueRef& queue, std::uint64_t id, std::unique_ptr<HeldPull>& pull);
  // Moves out all waiters that `wanted` says yes to, and forgets queues without any.
  template <typename Wanted>
  Pulls TakeOut(Shard& shard, Wanted wanted) AP_REQUIRES(shard.mu);
  Workers::Wait Look();
  void DropGone();
  void ResumeExpired();
  static void ResumeAll(Pulls pulls);

  const LongPollOptions options_;
  const MessageStore& store_;
  Clock& clock_;
  std::atomic<std::int64_t> waiting_{0};
  std::atomic<std::uint64_t> next_id_{1};
  std::atomic<bool> stopped_{false};
  std::atomic<bool> scanning_{false};  // The worker looks again by itself.
  std::array<Shard, 16> shards_;
  Mutex gone_mu_;  // Held with no other.
  std::vector<std::uint64_t> gone_ AP_GUARDED_BY(gone_mu_);
  std::unique_ptr<Worker> worker_;  // Last: ends before what it uses.
};

}  // namespace apogee
