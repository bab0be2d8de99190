// The one implementation of EventLoop. Private to this room: it shows Asio.
#pragma once

#include <asio/io_context.hpp>
#include <asio/steady_timer.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "net/event_loop.h"

namespace apogee {

class AsioConnection;

class AsioLoop final : public EventLoop {
 public:
  explicit AsioLoop(std::string thread_name);
  ~AsioLoop() override;  // Join() must have been called.

  // EventLoop
  void Post(Task task) override;
  TimerId RunAfter(std::chrono::nanoseconds delay, Task task) override;
  void Cancel(TimerId id) override;
  bool InLoop() const override;

  // Stopping in two steps, so that several loops stop side by side: close all connections (each
  // hears its OnClose) and end the thread; wait for that and drop the tasks left over.
  void BeginStop();
  void Join();

  // The rest on the loop only, but context().
  asio::io_context& context() { return context_; }
  void Adopt(std::shared_ptr<AsioConnection> connection);
  void Release(std::uint64_t connection_id);
  // Calls connection->EndOfRound() once the tasks and reads that are due now have run.
  void AtEndOfRound(std::shared_ptr<AsioConnection> connection);
  // What the running read reads into, and output memory that waits for its next user: idle
  // connections hold neither.
  std::span<char> read_buffer() { return {read_buffer_.get(), kReadBufferBytes}; }
  std::string* spare_output() { return &spare_output_; }

  static constexpr std::size_t kReadBufferBytes = 256 * 1024;

 private:
  using Clock = std::chrono::steady_clock;
  using TimerKey = std::pair<Clock::time_point, TimerId>;

  void RunTasks();
  void RunRound();
  void CloseAll();
  // Sets the Asio timer to the earliest of timers_, unless it fires earlier anyway.
  void ArmTimer();
  void RunTimers();

  const std::string thread_name_;
  asio::io_context context_;
  std::thread thread_;

  Mutex mu_;
  bool ended_ AP_GUARDED_BY(mu_) = false;  // Join has dropped what was left; nothing is taken.
  std::vector<Task> tasks_ AP_GUARDED_BY(mu_);
  std::map<TimerKey, Task> timers_ AP_GUARDED_BY(mu_);
  std::unordered_map<TimerId, Clock::time_point> deadlines_ AP_GUARDED_BY(mu_);
  TimerId last_timer_ AP_GUARDED_BY(mu_) = 0;

  // On the loop.
  std::vector<Task> running_;
  bool stopping_ = false;
  asio::steady_timer timer_;
  Clock::time_point timer_at_ = Clock::time_point::max();
  std::unordered_map<std::uint64_t, std::shared_ptr<AsioConnection>> connections_;
  std::vector<std::shared_ptr<AsioConnection>> round_;
  std::unique_ptr<char[]> read_buffer_;
  std::string spare_output_;
};

}  // namespace apogee
