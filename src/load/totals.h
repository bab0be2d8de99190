// What a run has counted so far.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "load/histogram.h"

namespace apogee {

// Failures without a response code, beside the codes of the protocol, which are not negative.
inline constexpr std::int32_t kErrorNoAnswer = -1;
inline constexpr std::int32_t kErrorConnectionLost = -2;

struct Totals {
  Histogram latency;  // Of what succeeded.
  std::int64_t completed = 0;
  std::map<std::int32_t, std::int64_t> errors;  // By response code.

  std::int64_t error_count() const {
    std::int64_t sum = 0;
    for (const auto& [code, count] : errors) sum += count;
    return sum;
  }
  void Add(const Totals& other) {
    latency.Add(other.latency);
    completed += other.completed;
    for (const auto& [code, count] : other.errors) errors[code] += count;
  }
};

}  // namespace apogee
