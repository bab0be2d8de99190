#include "broker/work_pool.h"

#include <fmt/core.h>

#include <utility>

#include "base/check.h"

namespace apogee {

WorkPool::WorkPool(Workers& workers, int threads, std::size_t waiting_max)
    : waiting_max_(waiting_max) {
  AP_CHECK(threads > 0);
  for (int i = 0; i < threads; ++i) {
    workers_.push_back(workers.Start(fmt::format("work/{}", i), [this] { return Step(); }));
  }
}

WorkPool::~WorkPool() {
  Stop();
}

void WorkPool::Stop() {
  std::deque<Task> dropped;
  {
    MutexLock lock(mu_);
    stopped_ = true;
    while (waking_ > 0) none_waking_.Wait(mu_);
    dropped.swap(waiting_);
  }
  workers_.clear();
}

bool WorkPool::Post(Task&& task) {
  {
    MutexLock lock(mu_);
    if (stopped_ || waiting_.size() >= waiting_max_) return false;
    waiting_.push_back(std::move(task));
    ++waking_;
  }
  // All of them: which one is free is not known here, and they are few.
  for (const std::unique_ptr<Worker>& worker : workers_) worker->Wake();
  MutexLock lock(mu_);
  if (--waking_ == 0) none_waking_.NotifyAll();
  return true;
}

Workers::Wait WorkPool::Step() {
  for (;;) {
    Task task;
    {
      MutexLock lock(mu_);
      if (waiting_.empty()) return Workers::kUntilWoken;
      task = std::move(waiting_.front());
      waiting_.pop_front();
    }
    task();
  }
}

}  // namespace apogee
