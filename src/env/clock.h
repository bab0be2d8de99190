// Time. Wall-clock time only for timestamps that others read; everything that measures or waits
// uses the monotonic clock, so a step of the wall clock delays and expires nothing.
#pragma once

#include <cstdint>

namespace apogee {

class Clock {
 public:
  virtual ~Clock() = default;
  // Milliseconds since 1970, as RocketMQ's timestamps.
  virtual std::int64_t WallMs() const = 0;
  // Nanoseconds since some fixed moment; never goes back.
  virtual std::int64_t MonotonicNs() const = 0;
  std::int64_t MonotonicMs() const { return MonotonicNs() / 1'000'000; }
};

// The machine's clocks. Lives for ever. Threads: any.
Clock& SystemClock();

}  // namespace apogee
