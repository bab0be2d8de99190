#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "env/clock.h"

namespace apogee {

// Both clocks stand still until a test moves them. Threads: any.
class ManualClock final : public Clock {
 public:
  // 2026-01-01T00:00:00Z.
  static constexpr std::int64_t kStartWallMs = 1'767'225'600'000;

  std::int64_t WallMs() const override { return wall_ns_.load() / 1'000'000; }
  std::int64_t MonotonicNs() const override { return monotonic_ns_.load(); }

  // Time passes: both clocks move.
  void Advance(std::chrono::nanoseconds by) {
    wall_ns_ += by.count();
    monotonic_ns_ += by.count();
  }
  // Somebody sets the wall clock, forward or back.
  void SetWallMs(std::int64_t wall_ms) { wall_ns_ = wall_ms * 1'000'000; }

 private:
  std::atomic<std::int64_t> wall_ns_{kStartWallMs * 1'000'000};
  std::atomic<std::int64_t> monotonic_ns_{1'000'000'000};
};

}  // namespace apogee
