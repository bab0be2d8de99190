#include <pthread.h>

#include <algorithm>
#include <thread>

#include "base/check.h"
#include "base/mutex.h"
#include "env/clock.h"
#include "env/workers.h"

namespace apogee {
namespace {

constexpr std::size_t kThreadNameMax = 15;
// A wait of centuries would overflow the clock's arithmetic; the loop waits again.
constexpr std::chrono::nanoseconds kSliceMax = std::chrono::hours(1);

class ThreadWorker final : public Worker {
 public:
  ThreadWorker(const std::string& name, Workers::Step step) : step_(std::move(step)) {
    thread_ = std::thread([this] { Run(); });
    pthread_setname_np(thread_.native_handle(), name.substr(0, kThreadNameMax).c_str());
  }

  ~ThreadWorker() override {
    AP_CHECK(std::this_thread::get_id() != thread_.get_id());  // A step cannot end its own worker.
    {
      const MutexLock lock(mu_);
      stopping_ = true;
    }
    changed_.NotifyOne();
    thread_.join();
  }

  void Wake() override {
    {
      const MutexLock lock(mu_);
      woken_ = true;
    }
    changed_.NotifyOne();
  }

 private:
  void Run() {
    while (StartStep()) {
      const Workers::Wait wait = step_();
      if (!AwaitTurn(wait)) break;
    }
  }

  // False when the worker ends. A wake from here on is for the step after this one.
  bool StartStep() {
    const MutexLock lock(mu_);
    woken_ = false;
    return !stopping_;
  }

  // Returns when `wait` has passed or at a wake; false when the worker ends.
  bool AwaitTurn(Workers::Wait wait) {
    const std::int64_t begin = SystemClock().MonotonicNs();
    const MutexLock lock(mu_);
    while (!woken_ && !stopping_) {
      if (wait == Workers::kUntilWoken) {
        changed_.Wait(mu_);
        continue;
      }
      const std::chrono::nanoseconds passed(SystemClock().MonotonicNs() - begin);
      if (passed >= wait) break;
      changed_.WaitFor(mu_, std::min<std::chrono::nanoseconds>(wait - passed, kSliceMax));
    }
    return !stopping_;
  }

  const Workers::Step step_;
  Mutex mu_;
  CondVar changed_;
  bool woken_ AP_GUARDED_BY(mu_) = false;
  bool stopping_ AP_GUARDED_BY(mu_) = false;
  std::thread thread_;  // Uses all of the above.
};

class ThreadWorkers final : public Workers {
 public:
  std::unique_ptr<Worker> Start(const std::string& name, Step step) override {
    return std::make_unique<ThreadWorker>(name, std::move(step));
  }
};

}  // namespace

Workers& SystemWorkers() {
  static Workers& workers = *new ThreadWorkers();
  return workers;
}

}  // namespace apogee
