// A mutex, its guard and its condition, with clang's thread-safety annotations. Lock order:
// docs/locks.md.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

#if defined(__clang__)
#define AP_THREAD_ANNOTATION(x) __attribute__((x))
#else
#define AP_THREAD_ANNOTATION(x)
#endif

#define AP_CAPABILITY(x) AP_THREAD_ANNOTATION(capability(x))
#define AP_SCOPED_CAPABILITY AP_THREAD_ANNOTATION(scoped_lockable)
#define AP_GUARDED_BY(x) AP_THREAD_ANNOTATION(guarded_by(x))
#define AP_PT_GUARDED_BY(x) AP_THREAD_ANNOTATION(pt_guarded_by(x))
#define AP_REQUIRES(...) AP_THREAD_ANNOTATION(requires_capability(__VA_ARGS__))
#define AP_ACQUIRE(...) AP_THREAD_ANNOTATION(acquire_capability(__VA_ARGS__))
#define AP_RELEASE(...) AP_THREAD_ANNOTATION(release_capability(__VA_ARGS__))
#define AP_TRY_ACQUIRE(...) AP_THREAD_ANNOTATION(try_acquire_capability(__VA_ARGS__))
#define AP_EXCLUDES(...) AP_THREAD_ANNOTATION(locks_excluded(__VA_ARGS__))
#define AP_NO_THREAD_SAFETY_ANALYSIS AP_THREAD_ANNOTATION(no_thread_safety_analysis)

namespace apogee {

class AP_CAPABILITY("mutex") Mutex {
 public:
  Mutex() = default;
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

  void Lock() AP_ACQUIRE() { mu_.lock(); }
  void Unlock() AP_RELEASE() { mu_.unlock(); }
  bool TryLock() AP_TRY_ACQUIRE(true) { return mu_.try_lock(); }

 private:
  friend class CondVar;
  std::mutex mu_;
};

class AP_SCOPED_CAPABILITY MutexLock {
 public:
  explicit MutexLock(Mutex& mu) AP_ACQUIRE(mu) : mu_(mu) { mu_.Lock(); }
  ~MutexLock() AP_RELEASE() { mu_.Unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex& mu_;
};

class CondVar {
 public:
  void Wait(Mutex& mu) AP_REQUIRES(mu) {
    std::unique_lock<std::mutex> lock(mu.mu_, std::adopt_lock);
    cv_.wait(lock);
    lock.release();
  }
  // False when `timeout` passed without a notification.
  bool WaitFor(Mutex& mu, std::chrono::nanoseconds timeout) AP_REQUIRES(mu) {
    std::unique_lock<std::mutex> lock(mu.mu_, std::adopt_lock);
    const bool notified = cv_.wait_for(lock, timeout) == std::cv_status::no_timeout;
    lock.release();
    return notified;
  }
  void NotifyOne() { cv_.notify_one(); }
  void NotifyAll() { cv_.notify_all(); }

 private:
  std::condition_variable cv_;
};

}  // namespace apogee
