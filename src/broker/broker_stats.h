// How much goes through the broker: messages put and handed out, in all and per second.
//
// Threads: Put and Got from any, on the hot path (one relaxed addition each); Sample from one
// worker once a second; the rest from any.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>

#include "base/mutex.h"
#include "env/clock.h"

namespace apogee {

class BrokerStats {
 public:
  explicit BrokerStats(Clock& clock);

  void Put(std::int64_t messages, std::int64_t bytes) {
    put_.fetch_add(messages, std::memory_order_relaxed);
    put_bytes_.fetch_add(bytes, std::memory_order_relaxed);
  }
  void PutFailed() { put_failed_.fetch_add(1, std::memory_order_relaxed); }
  void Got(std::int64_t messages) { got_.fetch_add(messages, std::memory_order_relaxed); }

  // Takes the numbers for the rates and, on the first call of a day (UTC), those of its morning.
  // Call once a second.
  void Sample();

  std::int64_t put() const { return put_.load(std::memory_order_relaxed); }
  std::int64_t put_bytes() const { return put_bytes_.load(std::memory_order_relaxed); }
  std::int64_t put_failed() const { return put_failed_.load(std::memory_order_relaxed); }
  std::int64_t got() const { return got_.load(std::memory_order_relaxed); }

  // The totals when today and yesterday began; 0 before the start.
  struct Mornings {
    std::int64_t put_yesterday = 0;
    std::int64_t put_today = 0;
    std::int64_t got_yesterday = 0;
    std::int64_t got_today = 0;
  };
  Mornings mornings() const;

  // Messages per second over the last 10, 60 and 600 s, as mqadmin reads them: "12.5 10.0 3.2".
  std::string PutRates() const;
  std::string GotRates() const;

 private:
  struct Point {
    std::int64_t at_ms = 0;
    std::int64_t put = 0;
    std::int64_t got = 0;
  };
  std::string Rates(std::int64_t Point::* number) const AP_REQUIRES(mu_);

  Clock& clock_;
  std::atomic<std::int64_t> put_{0};
  std::atomic<std::int64_t> put_bytes_{0};
  std::atomic<std::int64_t> put_failed_{0};
  std::atomic<std::int64_t> got_{0};
  mutable Mutex mu_;
  std::array<Point, 601> points_ AP_GUARDED_BY(mu_);  // A ring.
  std::size_t samples_ AP_GUARDED_BY(mu_) = 0;
  std::int64_t day_ AP_GUARDED_BY(mu_) = 0;
  Mornings mornings_ AP_GUARDED_BY(mu_);
};

}  // namespace apogee
