#include "store/preparer.h"

#include <algorithm>
#include <chrono>

#include "base/log.h"

namespace apogee {
namespace {

constexpr std::int64_t kMiB = 1 << 20;
// Present at once when a store opens, and all that is kept in front of an idle tail.
constexpr std::int64_t kWindowMin = kMiB;
constexpr std::int64_t kWindowMax = 64 * kMiB;
constexpr std::int64_t kWindowMs = 100;
// What stays mapped behind a moving tail: consumers that keep up read it without a fault.
constexpr std::int64_t kKeptBehind = 64 * kMiB;
constexpr std::int64_t kKeptBehindIdle = kMiB;
constexpr std::int64_t kPage = 4096;
constexpr std::int64_t kIdleAfterMs = 5'000;
constexpr std::int64_t kRetryCreateMs = 1'000;
constexpr auto kPeriod = std::chrono::seconds(1);

std::int64_t PageBelow(std::int64_t at) {
  return at - at % kPage;
}

}  // namespace

void Preparer::Attach(CommitLog& log) {
  log_ = &log;
  const LogOffset tail = log.tail();
  last_tail_ = tail.value();
  last_step_ms_ = last_moved_ms_ = clock_.MonotonicMs();
  window_ = kWindowMin;
  forgotten_.store(PageBelow(tail.value()), std::memory_order_relaxed);
  if (present_pages_) log.current()->Prefault(tail, tail + kWindowMin);
  present_to_ = tail.value() + kWindowMin;
  SetDue(tail, kWindowMin / 2);
}

Workers::Wait Preparer::Step() {
  const LogOffset tail = log_->tail();
  const std::int64_t now = clock_.MonotonicMs();
  const std::shared_ptr<Segment> current = log_->current();
  const bool far = tail - current->start() >= chain_.segment_bytes() / 2;
  if (far && !log_->next() && now >= retry_create_ms_) {
    MutexLock lock(creating_);
    if (const Status made = CreateNext(); !made.ok()) {
      LogWarning("store: the next log file cannot be made yet: {}", made.error().ToString());
      retry_create_ms_ = now + kRetryCreateMs;
    } else {
      retry_create_ms_ = 0;
    }
  }

  const std::int64_t moved = tail.value() - last_tail_;
  if (moved > 0) {
    const std::int64_t elapsed = std::max<std::int64_t>(now - last_step_ms_, 1);
    const std::int64_t wanted = moved * kWindowMs / elapsed;
    window_ = std::clamp(wanted, std::max(window_ * 3 / 4, kWindowMin),
                         std::min(window_ * 2, kWindowMax));
    last_moved_ms_ = now;
    idle_ = false;
  }
  last_tail_ = tail.value();
  last_step_ms_ = now;

  if (now - last_moved_ms_ < kIdleAfterMs) {
    MoveWindow(tail);
  } else if (!idle_) {
    idle_ = true;
    const std::int64_t keep = tail.value() + kWindowMin;
    for (const auto& segment : chain_.Between(tail, LogOffset(present_to_))) {
      segment->Forget(LogOffset(keep), LogOffset(present_to_));
    }
    present_to_ = std::min(present_to_, keep);
    SetDue(tail, kWindowMin / 2);
  }
  ForgetBehind(tail);
  return kPeriod;
}

Status Preparer::MakeNext() {
  MutexLock lock(creating_);
  if (log_->next()) return Ok();
  late_.fetch_add(1, std::memory_order_relaxed);
  LogWarning("store: the next log file was not ready, an append waits while it is made");
  return CreateNext();
}

Status Preparer::CreateNext() {
  if (log_->next()) return Ok();
  AP_TRY(std::shared_ptr<Segment> next, chain_.Create(log_->current()->end()));
  log_->SetNext(std::move(next));
  return Ok();
}

void Preparer::MoveWindow(LogOffset tail) {
  const std::int64_t from = std::max(present_to_, tail.value());
  const std::int64_t to = tail.value() + window_;
  if (present_pages_ && to - from >= window_ / 4) {
    const std::shared_ptr<Segment> current = log_->current();
    current->Prefault(LogOffset(from), LogOffset(to));
    if (const std::shared_ptr<Segment> next = log_->next()) {
      next->Prefault(LogOffset(from), LogOffset(to));
      present_to_ = to;
    } else {
      present_to_ = std::min(to, current->end().value());
    }
  }
  SetDue(tail, window_ / 2);
}

// The next step is due after `ahead` more bytes, or when the next segment is wanted.
void Preparer::SetDue(LogOffset tail, std::int64_t ahead) {
  const std::shared_ptr<Segment> current = log_->current();
  std::int64_t due = tail.value() + ahead;
  if (log_->next()) {
    due = std::min(due, (current->end() + chain_.segment_bytes() / 2).value());
  } else if (retry_create_ms_ == 0) {
    due = std::min(due, (current->start() + chain_.segment_bytes() / 2).value());
  }
  due_at_.store(due, std::memory_order_relaxed);
}

void Preparer::ForgetBehind(LogOffset tail) {
  const std::int64_t keep = idle_ ? kKeptBehindIdle : kKeptBehind;
  const std::int64_t to = PageBelow(std::max<std::int64_t>(tail.value() - keep, 0));
  std::int64_t from = forgotten_.load(std::memory_order_relaxed);
  if (cold_read_.exchange(false, std::memory_order_relaxed)) from = chain_.first()->start().value();
  if (to <= from) return;
  for (const auto& segment : chain_.Between(LogOffset(from), LogOffset(to))) {
    segment->Forget(LogOffset(from), LogOffset(to));
  }
  forgotten_.store(std::max(to, forgotten_.load(std::memory_order_relaxed)),
                   std::memory_order_relaxed);
}

}  // namespace apogee
