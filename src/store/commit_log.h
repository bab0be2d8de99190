// The broker's only source of truth: every message of every topic in arrival order, one byte
// sequence cut into segments. Queues are made from it, never it from them.
//
//   start() ...................... flushed() ....... tail()
//   survives a power loss          | survives the process |
//
// Threads: any. Appends take turns on one mutex, which covers offsets, record and queue entry; it
// is never held over a file operation. Reads take the chain's mutex for a look-up. Calls nobody
// while locked.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "base/mutex.h"
#include "base/result.h"
#include "env/clock.h"
#include "store/message_log.h"
#include "store/message_store.h"
#include "store/queue_table.h"
#include "store/segment_chain.h"

namespace apogee {

// The end of the log at one moment.
struct LogPosition {
  LogOffset end;
  LogOffset last_record;  // Where the last record begins; equal to `end` when there is none.
  std::int64_t store_time_ms = 0;  // Of the last record.
};

// What one append did.
struct Written {
  Appended appended;
  std::int32_t entries = 0;   // Queue entries made: 0 for half messages and inner batches.
  std::int64_t tag_code = 0;  // Of the last one.
  std::vector<std::int64_t> earlier_tag_codes;  // Of those before it, for a batch.
};

class CommitLog {
 public:
  struct Options {
    std::int32_t message_bytes_max = 4 * 1024 * 1024;
  };
  // Everything must outlive this. `at` is where recovery ended; the chain's last segment holds it.
  // `make_next` creates the segment behind the current one and hands it to SetNext; it may block.
  CommitLog(const Options& options, SegmentChain& chain, QueueTable& queues, Clock& clock,
            const LogPosition& at, std::function<Status()> make_next);

  // As MessageLog::Append. The caller tells the listener.
  Result<Written> Append(std::span<const RecordFields> messages);

  // From now on every append fails with this error. The first reason stays.
  void Refuse(Error reason);
  // Whether appends are refused, and why.
  std::optional<Error> refusal() const;

  // The segment behind the current one, for the next roll.
  void SetNext(std::shared_ptr<Segment> next);
  std::shared_ptr<Segment> next() const;
  std::shared_ptr<Segment> TakeNext();  // For a clean stop.
  std::shared_ptr<Segment> current() const;

  // Runs `step` while no append can run: the appender's hold on queue handles is released.
  template <typename Step>
  void WithAppendsHeld(Step step) {
    MutexLock lock(mu_);
    step();
  }

  LogPosition position() const;
  LogOffset tail() const { return LogOffset(tail_.load(std::memory_order_acquire)); }
  LogOffset start() const { return start_; }

  // The record at `at`, of `size` bytes (0: whatever it says), below `limit`.
  Result<RecordRef> Read(LogOffset at, std::int32_t size, LogOffset limit) const;
  // Store time of the record there; -1 when there is none.
  std::int64_t StoreTimeAt(LogOffset at) const;

 private:
  Result<std::int64_t> CheckMessages(std::span<const RecordFields> messages) const;
  bool MakeRoom(std::int64_t bytes) AP_REQUIRES(mu_);
  Written AppendHere(std::span<const RecordFields> messages, std::int64_t bytes) AP_REQUIRES(mu_);
  std::int64_t StoreTime() AP_REQUIRES(mu_);

  const Options options_;
  SegmentChain& chain_;
  QueueTable& queues_;
  Clock& clock_;
  const std::function<Status()> make_next_;
  const LogOffset start_;

  mutable Mutex mu_;  // Order: docs/locks.md.
  std::optional<Error> refusal_ AP_GUARDED_BY(mu_);
  std::shared_ptr<Segment> current_ AP_GUARDED_BY(mu_);
  std::shared_ptr<Segment> next_ AP_GUARDED_BY(mu_);
  LogPosition at_ AP_GUARDED_BY(mu_);
  std::atomic<std::int64_t> tail_;
};

}  // namespace apogee
