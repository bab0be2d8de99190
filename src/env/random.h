// Chance. Everything random in the process draws from one of these, so that a simulation replays
// from a seed.
#pragma once

#include <cstdint>

namespace apogee {

class Random {
 public:
  virtual ~Random() = default;
  // Uniform over all 64-bit values. Threads: any.
  virtual std::uint64_t Next() = 0;
  // Uniform in [0, bound); bound > 0.
  std::uint64_t Below(std::uint64_t bound) {
    __extension__ typedef unsigned __int128 Wide;
    return static_cast<std::uint64_t>((static_cast<Wide>(Next()) * bound) >> 64);
  }
};

// Seeded by the operating system. Lives for ever.
Random& SystemRandom();

}  // namespace apogee
