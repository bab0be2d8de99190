// Makes the log durable: by interval and amount of dirty pages (ASYNC_FLUSH), or as soon as
// somebody waits (SYNC_FLUSH), where one sync serves all who wait at that moment. An error of a
// sync is final: what the kernel did with the pages is unknown, so nothing is retried, waiting
// sends fail and so does every later append.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "base/mutex.h"
#include "base/result.h"
#include "env/clock.h"
#include "env/workers.h"
#include "store/commit_log.h"
#include "store/message_store.h"
#include "store/segment_chain.h"
#include "store/worker_slot.h"

namespace apogee {

// Threads: any for Await, Wake and the readings; Step runs on the `flush` worker, ExpireStep on
// `flush-timeout`.
class Flusher {
 public:
  struct Options {
    FlushMode mode = FlushMode::kAsync;
    std::chrono::milliseconds interval{500};
    std::int32_t least_pages = 4;
    std::chrono::milliseconds thorough_interval{10'000};
    std::chrono::milliseconds timeout{5'000};
  };
  // All must outlive this; `worker` runs Step. What is in the log now counts as flushed.
  // `on_flushed` is told of progress before the waiters are, with no lock held.
  Flusher(const Options& options, CommitLog& log, SegmentChain& chain, Clock& clock,
          WorkerSlot& worker, std::function<void(LogOffset)> on_flushed);

  // Somebody waits for what was appended. Cheap when the worker is awake already.
  void Wake();

  Workers::Wait Step();
  Workers::Wait ExpireStep();

  // Everything that is in the log now, at once. Also the last act of a clean stop.
  Status FlushAll();

  void Await(LogOffset end, MessageLog::DurableCallback done);
  // Fails all who wait, now and later: the store is going away.
  void FailAll();

  LogOffset flushed() const { return LogOffset(flushed_.load(std::memory_order_acquire)); }
  // What the last sync covered: end, last record, its store time.
  LogPosition flushed_position() const;
  std::int64_t syncs() const { return syncs_.load(std::memory_order_relaxed); }

 private:
  struct Waiter {
    LogOffset end;
    std::int64_t deadline_ns = 0;
    MessageLog::DurableCallback done;
  };

  Status Flush() AP_EXCLUDES(mu_, flushing_);
  Status SyncToTail() AP_EXCLUDES(mu_, flushing_);
  bool IsDue(LogOffset tail);
  void CompleteFlushed();

  const Options options_;
  CommitLog& log_;
  SegmentChain& chain_;
  Clock& clock_;
  const std::function<void(LogOffset)> on_flushed_;
  WorkerSlot& worker_;
  std::atomic<bool> wanted_{false};
  std::atomic<std::int64_t> syncs_{0};
  std::atomic<std::int64_t> flushed_;
  std::int64_t last_flush_ms_;  // Touched by Step only.

  // Held over the sync: one at a time, the worker's or the clean stop's. No appender takes it.
  Mutex flushing_;

  mutable Mutex mu_;
  LogPosition position_ AP_GUARDED_BY(mu_);
  bool failed_ AP_GUARDED_BY(mu_) = false;
  std::vector<Waiter> waiters_ AP_GUARDED_BY(mu_);
};

}  // namespace apogee
