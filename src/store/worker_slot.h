// Holds a worker that others wake while it may be stopping: a wake after Stop does nothing.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "base/mutex.h"
#include "env/workers.h"

namespace apogee {

// Threads: Wake from any; Start and Stop from the owner.
class WorkerSlot {
 public:
  ~WorkerSlot() { Stop(); }

  void Start(Workers& workers, const std::string& name, Workers::Step step) {
    std::unique_ptr<Worker> worker = workers.Start(name, std::move(step));
    MutexLock lock(mu_);
    worker_ = std::move(worker);
  }
  // Worker::Wake never blocks, so it may run under the lock that keeps the worker alive.
  void Wake() {
    MutexLock lock(mu_);
    if (worker_) worker_->Wake();
  }
  // Waits for the running step.
  void Stop() {
    std::unique_ptr<Worker> worker;
    MutexLock lock(mu_);
    worker.swap(worker_);
  }

 private:
  Mutex mu_;
  std::unique_ptr<Worker> worker_ AP_GUARDED_BY(mu_);
};

}  // namespace apogee
