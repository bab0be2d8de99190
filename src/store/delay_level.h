// The delay levels of RocketMQ's scheduled messages (messageDelayLevel).
#pragma once

#include <array>
#include <cstdint>

namespace apogee {

// Seconds of levels 1 to 18.
inline constexpr std::array<std::int32_t, 18> kDelayLevelSeconds = {
    1, 5, 10, 30, 60, 120, 180, 240, 300, 360, 420, 480, 540, 600, 1200, 1800, 3600, 7200};

// `level` >= 1; beyond the last one counts as the last.
inline std::int64_t DelayOfLevelMs(std::int64_t level) {
  const auto last = static_cast<std::int64_t>(kDelayLevelSeconds.size());
  const std::int64_t capped = level > last ? last : level;
  return std::int64_t{1000} * kDelayLevelSeconds[static_cast<std::size_t>(capped - 1)];
}

}  // namespace apogee
