// Background work: every thread that is not an event loop. A worker calls its step again and again,
// each time after the wait that the step asked for or after a Wake(). The fake
// (env/fake/manual_workers.h) has no threads: a test or the simulator runs the steps by hand.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

namespace apogee {

class Worker {
 public:
  // Ends after the running step has returned and waits for that; no step runs after it.
  virtual ~Worker() = default;
  // The next step starts as soon as possible; a wake during a step causes one more. Threads: any,
  // never blocks.
  virtual void Wake() = 0;
};

class Workers {
 public:
  virtual ~Workers() = default;
  // Returned by a step: how long to wait before the next one.
  using Wait = std::chrono::nanoseconds;
  static constexpr Wait kUntilWoken = Wait::max();
  using Step = std::function<Wait()>;
  // `name` is the thread's name (at most 15 characters). The first step runs at once.
  virtual std::unique_ptr<Worker> Start(const std::string& name, Step step) = 0;
};

// Real threads. Lives for ever.
Workers& SystemWorkers();

}  // namespace apogee
