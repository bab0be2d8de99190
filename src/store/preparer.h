// Work ahead of the appender and behind it: the next segment with its blocks, present pages in
// front of the tail, and pages behind it given back, so that appending meets neither a page fault
// nor a file creation and an idle server stays small.
//
//   forgotten ........|... kept ...| tail |... present ...|
//
// The window in front is a tenth of a second's worth, and no more: a flush writes back whatever is
// dirty, the zeros of prepared pages too, and write-protects them, so that a page prepared long
// ahead costs a second write and the very fault it should save. For the same reason nothing is
// prepared when every send is flushed.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "base/mutex.h"
#include "base/result.h"
#include "env/clock.h"
#include "env/workers.h"
#include "store/commit_log.h"
#include "store/segment_chain.h"

namespace apogee {

// Threads: OnTail and MakeNext from any, Step on the `prepare` worker.
class Preparer {
 public:
  // All must outlive this. `present_pages`: whether pages are made present ahead (ASYNC_FLUSH).
  Preparer(SegmentChain& chain, Clock& clock, bool present_pages)
      : chain_(chain), clock_(clock), present_pages_(present_pages) {}

  // Before anything else. Makes the first few pages present, on the calling thread.
  void Attach(CommitLog& log);

  Workers::Wait Step();

  // True when the tail has come so far that the worker should run now. Called after each append.
  bool IsDue(LogOffset tail) {
    return tail.value() >= due_at_.load(std::memory_order_relaxed) &&
           due_at_.exchange(kNever, std::memory_order_relaxed) != kNever;
  }

  // Creates the next segment if there is none: the appender's way out when the worker was late, or
  // when it failed before. Blocks on the disk.
  Status MakeNext();

  // Segments made by the appender because the worker was late.
  std::int64_t late() const { return late_.load(std::memory_order_relaxed); }
  // A reader has touched pages behind the tail.
  void NoteColdRead() { cold_read_.store(true, std::memory_order_relaxed); }
  LogOffset forgotten() const { return LogOffset(forgotten_.load(std::memory_order_relaxed)); }

 private:
  static constexpr std::int64_t kNever = INT64_MAX;

  Status CreateNext() AP_REQUIRES(creating_);
  void MoveWindow(LogOffset tail);
  void SetDue(LogOffset tail, std::int64_t ahead);
  void ForgetBehind(LogOffset tail);

  SegmentChain& chain_;
  Clock& clock_;
  const bool present_pages_;
  CommitLog* log_ = nullptr;

  // Held over the creation of a file: who needs the next segment has to wait for it anyway.
  Mutex creating_;

  // Touched by the worker only, after Attach.
  std::int64_t present_to_ = 0;
  std::int64_t last_tail_ = 0;
  std::int64_t last_step_ms_ = 0;
  std::int64_t last_moved_ms_ = 0;
  std::int64_t window_ = 0;
  std::int64_t retry_create_ms_ = 0;
  bool idle_ = false;

  std::atomic<std::int64_t> forgotten_{0};
  std::atomic<std::int64_t> due_at_{kNever};
  std::atomic<std::int64_t> late_{0};
  std::atomic<bool> cold_read_{false};
};

}  // namespace apogee
