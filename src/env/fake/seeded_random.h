#pragma once

#include <atomic>
#include <cstdint>

#include "env/random.h"

namespace apogee {

// The same numbers for the same seed, on every machine (SplitMix64). Threads: any, though the order
// in which threads draw is theirs.
class SeededRandom final : public Random {
 public:
  explicit SeededRandom(std::uint64_t seed) : state_(seed) {}

  std::uint64_t Next() override {
    constexpr std::uint64_t kStep = 0x9E3779B97F4A7C15U;
    std::uint64_t z = state_.fetch_add(kStep, std::memory_order_relaxed) + kStep;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31);
  }

 private:
  std::atomic<std::uint64_t> state_;
};

}  // namespace apogee
