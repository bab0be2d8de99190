// Threads for what may block (`work/N`): administration and all that touches the disk. Bounded: a
// full queue refuses. Threads: any.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "base/mutex.h"
#include "env/workers.h"

namespace apogee {

class WorkPool {
 public:
  // At least one thread.
  WorkPool(Workers& workers, int threads, std::size_t waiting_max);
  ~WorkPool();

  // Waits for the tasks that run; those still waiting are destroyed, and no more are taken.
  // Idempotent; not from a task, and not from two threads at once.
  void Stop();

  using Task = std::move_only_function<void()>;
  // False, with the task untouched, when `waiting_max` tasks wait or the pool has stopped.
  bool Post(Task&& task);

 private:
  Workers::Wait Step();

  const std::size_t waiting_max_;
  Mutex mu_;
  std::deque<Task> waiting_ AP_GUARDED_BY(mu_);
  bool stopped_ AP_GUARDED_BY(mu_) = false;
  int waking_ AP_GUARDED_BY(mu_) = 0;  // Posts between queueing and waking: workers_ must stay.
  CondVar none_waking_;
  std::vector<std::unique_ptr<Worker>> workers_;  // Constant until Stop.
};

}  // namespace apogee
