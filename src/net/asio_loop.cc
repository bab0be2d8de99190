#include "net/asio_loop.h"

#include <pthread.h>

#include <asio/error.hpp>
#include <asio/executor_work_guard.hpp>
#include <asio/post.hpp>

#include "base/check.h"
#include "net/asio_connection.h"

namespace apogee {
namespace {

thread_local const AsioLoop* current_loop = nullptr;

}  // namespace

AsioLoop::AsioLoop(std::string thread_name)
    : thread_name_(std::move(thread_name)),
      context_(1),
      timer_(context_),
      read_buffer_(new char[kReadBufferBytes]) {
  thread_ = std::thread([this] {
    pthread_setname_np(pthread_self(), thread_name_.c_str());
    current_loop = this;
    const auto work = asio::make_work_guard(context_);
    context_.run();
  });
}

AsioLoop::~AsioLoop() {
  AP_CHECK(!thread_.joinable());
}

bool AsioLoop::InLoop() const {
  return current_loop == this;
}

void AsioLoop::Post(Task task) {
  bool wake = false;
  {
    MutexLock lock(mu_);
    // Refused tasks are destroyed by the caller's scope, outside of the lock.
    if (ended_) return;
    wake = tasks_.empty();
    tasks_.push_back(std::move(task));
  }
  if (wake) asio::post(context_, [this] { RunTasks(); });
}

void AsioLoop::RunTasks() {
  {
    MutexLock lock(mu_);
    running_.swap(tasks_);
  }
  for (Task& task : running_) {
    if (stopping_) break;
    task();
    task = nullptr;  // What it holds goes now, not after the whole batch.
  }
  if (!stopping_) running_.clear();
}

EventLoop::TimerId AsioLoop::RunAfter(std::chrono::nanoseconds delay, Task task) {
  const Clock::time_point deadline = Clock::now() + delay;
  TimerId id = 0;
  bool first = false;
  {
    MutexLock lock(mu_);
    if (ended_) return 0;
    id = ++last_timer_;
    const auto at = timers_.emplace(TimerKey{deadline, id}, std::move(task)).first;
    deadlines_.emplace(id, deadline);
    first = at == timers_.begin();
  }
  if (first) {
    if (InLoop()) {
      ArmTimer();
    } else {
      Post([this] { ArmTimer(); });
    }
  }
  return id;
}

void AsioLoop::Cancel(TimerId id) {
  Task dropped;
  MutexLock lock(mu_);
  const auto deadline = deadlines_.find(id);
  if (deadline == deadlines_.end()) return;
  const auto timer = timers_.find({deadline->second, id});
  dropped = std::move(timer->second);  // Destroyed after the lock is released.
  timers_.erase(timer);
  deadlines_.erase(deadline);
}

void AsioLoop::ArmTimer() {
  {
    MutexLock lock(mu_);
    if (timers_.empty() || timers_.begin()->first.first >= timer_at_) return;
    timer_at_ = timers_.begin()->first.first;
  }
  timer_.expires_at(timer_at_);  // Ends an older wait with operation_aborted.
  timer_.async_wait([this](const asio::error_code& error) {
    if (error || stopping_) return;
    timer_at_ = Clock::time_point::max();
    RunTimers();
    ArmTimer();
  });
}

void AsioLoop::RunTimers() {
  const Clock::time_point now = Clock::now();
  while (!stopping_) {
    Task task;
    {
      MutexLock lock(mu_);
      if (timers_.empty() || timers_.begin()->first.first > now) return;
      const auto due = timers_.begin();
      task = std::move(due->second);
      deadlines_.erase(due->first.second);
      timers_.erase(due);
    }
    task();
  }
}

void AsioLoop::Adopt(std::shared_ptr<AsioConnection> connection) {
  const std::uint64_t id = connection->id();
  connections_.emplace(id, std::move(connection));
}

void AsioLoop::Release(std::uint64_t connection_id) {
  connections_.erase(connection_id);
}

void AsioLoop::AtEndOfRound(std::shared_ptr<AsioConnection> connection) {
  if (round_.empty() && !stopping_) asio::post(context_, [this] { RunRound(); });
  round_.push_back(std::move(connection));
}

void AsioLoop::RunRound() {
  // By index: EndOfRound may add more, which then run in this round too, without a further post.
  for (std::size_t i = 0; i < round_.size(); ++i) {
    const std::shared_ptr<AsioConnection> connection = std::move(round_[i]);
    connection->EndOfRound();
  }
  round_.clear();
}

void AsioLoop::CloseAll() {
  while (!connections_.empty()) {
    const std::shared_ptr<AsioConnection> connection = connections_.begin()->second;
    connection->Close(Connection::CloseMode::kNow);
  }
  RunRound();
}

void AsioLoop::BeginStop() {
  Post([this] {
    stopping_ = true;
    CloseAll();
    context_.stop();
  });
}

void AsioLoop::Join() {
  AP_CHECK(!InLoop());
  if (!thread_.joinable()) return;
  thread_.join();
  std::vector<Task> tasks;
  std::map<TimerKey, Task> timers;
  {
    MutexLock lock(mu_);
    ended_ = true;
    tasks.swap(tasks_);
    timers.swap(timers_);
    deadlines_.clear();
  }
  running_.clear();
  // What is dropped here may post again and is refused then.
}

}  // namespace apogee
