// Event loops: one thread each, owning its connections and timers. Asio stays behind this header.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace apogee {

class EventLoop {
 public:
  using Task = std::move_only_function<void()>;
  using TimerId = std::uint64_t;

  virtual ~EventLoop() = default;
  // Runs `task` on the loop, in the order posted. Threads: any. Tasks still waiting when the loop
  // ends are destroyed.
  virtual void Post(Task task) = 0;
  // Runs `task` on the loop once `delay` has passed. Threads: any.
  virtual TimerId RunAfter(std::chrono::nanoseconds delay, Task task) = 0;
  // After this, called on the loop, the task does not run any more.
  virtual void Cancel(TimerId id) = 0;
  virtual bool InLoop() const = 0;
};

// N loops on N threads named io/0, io/1, ….
class EventLoops {
 public:
  static std::unique_ptr<EventLoops> Start(int count);
  virtual ~EventLoops() = default;  // Stops.

  virtual int count() const = 0;
  virtual EventLoop& at(int index) = 0;
  // Round robin.
  virtual EventLoop& Next() = 0;
  // Ends the threads after the tasks that run now; idempotent.
  virtual void Stop() = 0;
};

}  // namespace apogee
