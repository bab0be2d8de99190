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
  WorkPool(Workers& workers, int threads, std::size_t waiting_max);
  // Waits for the tasks that run; those still waiting are destroyed.
  ~WorkPool();

  using Task = std::move_only_function<void()>;
  // False, with the task untouched, when `waiting_max` tasks wait.
  bool Post(Task&& task);

 private:
  Workers::Wait Step();

  const std::size_t waiting_max_;
  Mutex mu_;
  std::deque<Task> waiting_ AP_GUARDED_BY(mu_);
  std::size_t next_ AP_GUARDED_BY(mu_) = 0;       // The worker to wake.
  std::vector<std::unique_ptr<Worker>> workers_;  // Last: they end first.
};

}  // namespace apogee
