#include "store/flusher.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "store/take_if.h"

namespace apogee {
namespace {

constexpr std::int64_t kPage = 4096;

}  // namespace

Flusher::Flusher(const Options& options, CommitLog& log, SegmentChain& chain, Clock& clock,
                 WorkerSlot& worker, std::function<void(LogOffset)> on_flushed)
    : options_(options),
      log_(log),
      chain_(chain),
      clock_(clock),
      on_flushed_(std::move(on_flushed)),
      worker_(worker),
      flushed_(log.tail().value()),
      last_flush_ms_(clock.MonotonicMs()),
      position_(log.position()) {}

void Flusher::Wake() {
  if (wanted_.exchange(true, std::memory_order_acq_rel)) return;
  worker_.Wake();
}

Workers::Wait Flusher::Step() {
  const bool wanted = wanted_.exchange(false, std::memory_order_acq_rel);
  const LogOffset tail = log_.tail();
  if (tail > flushed() && (wanted || IsDue(tail))) {
    // An error is recorded where it counts: appends are refused and the waiters told.
    (void)Flush();
    last_flush_ms_ = clock_.MonotonicMs();
  }
  return options_.interval;
}

Workers::Wait Flusher::ExpireStep() {
  const std::int64_t now = clock_.MonotonicNs();
  std::vector<Waiter> expired;
  {
    MutexLock lock(mu_);
    expired = TakeIf(waiters_, [&](const Waiter& waiter) { return waiter.deadline_ns <= now; });
  }
  for (Waiter& waiter : expired) waiter.done(Durability::kFlushTimeout);
  return std::max<std::chrono::nanoseconds>(options_.timeout / 10, std::chrono::milliseconds(1));
}

Status Flusher::FlushAll() {
  return log_.tail() > flushed() ? Flush() : Ok();
}

void Flusher::Await(LogOffset end, MessageLog::DurableCallback done) {
  const std::int64_t deadline =
      clock_.MonotonicNs() + std::chrono::nanoseconds(options_.timeout).count();
  bool waits = false;
  Durability reached = Durability::kFlushed;
  {
    MutexLock lock(mu_);
    if (flushed() < end && failed_) {
      reached = Durability::kFailed;
    } else if (flushed() < end) {
      waits = true;
      waiters_.push_back({end, deadline, std::move(done)});
    }
  }
  if (waits) {
    Wake();
  } else {
    done(reached);
  }
}

void Flusher::FailAll() {
  std::vector<Waiter> failed;
  {
    MutexLock lock(mu_);
    failed_ = true;
    failed.swap(waiters_);
  }
  for (Waiter& waiter : failed) waiter.done(Durability::kFailed);
}

LogPosition Flusher::flushed_position() const {
  MutexLock lock(mu_);
  return position_;
}

bool Flusher::IsDue(LogOffset tail) {
  if (options_.mode == FlushMode::kSync) return true;
  const std::int64_t pages = tail.value() / kPage - flushed().value() / kPage;
  return pages >= options_.least_pages ||
         clock_.MonotonicMs() - last_flush_ms_ >= options_.thorough_interval.count();
}

Status Flusher::Flush() {
  if (const Status synced = SyncToTail(); !synced.ok()) {
    log_.Refuse(synced.error());
    FailAll();
    return synced;
  }
  if (on_flushed_) on_flushed_(flushed());
  CompleteFlushed();
  return Ok();
}

Status Flusher::SyncToTail() {
  MutexLock one(flushing_);
  {
    MutexLock lock(mu_);
    if (failed_) return Fail(ErrorCode::kIo, "flush error: an earlier flush failed");
  }
  const LogPosition target = log_.position();
  for (const auto& segment : chain_.Between(flushed(), target.end)) {
    syncs_.fetch_add(1, std::memory_order_relaxed);
    if (const Status synced = segment->Sync(); !synced.ok()) {
      const Error error(ErrorCode::kIo,
                        fmt::format("flush error: {}: {}", chain_.PathOf(segment->start()),
                                    synced.error().message()));
      LogError("store: {}; nothing is written any more, reads go on", error.message());
      MutexLock lock(mu_);
      failed_ = true;
      return std::unexpected(error);
    }
  }
  MutexLock lock(mu_);
  position_ = target;
  flushed_.store(target.end.value(), std::memory_order_release);
  return Ok();
}

void Flusher::CompleteFlushed() {
  std::vector<Waiter> done;
  {
    MutexLock lock(mu_);
    const LogOffset reached = flushed();
    done = TakeIf(waiters_, [&](const Waiter& waiter) { return waiter.end <= reached; });
  }
  for (Waiter& waiter : done) waiter.done(Durability::kFlushed);
}

}  // namespace apogee
