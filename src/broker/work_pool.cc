#include "broker/work_pool.h"

#include <fmt/core.h>

#include <utility>

namespace apogee {

WorkPool::WorkPool(Workers& workers, int threads, std::size_t waiting_max)
    : waiting_max_(waiting_max) {
  for (int i = 0; i < threads; ++i) {
    workers_.push_back(workers.Start(fmt::format("work/{}", i), [this] { return Step(); }));
  }
}

WorkPool::~WorkPool() {
  workers_.clear();
}

bool WorkPool::Post(Task&& task) {
  std::size_t to_wake = 0;
  {
    MutexLock lock(mu_);
    if (waiting_.size() >= waiting_max_) return false;
    waiting_.push_back(std::move(task));
    to_wake = next_++ % workers_.size();
  }
  workers_[to_wake]->Wake();
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
