#pragma once

#include <cstdint>
#include <optional>

namespace apogee {

// User and system CPU seconds that the process `pid` and its ended threads have used so far;
// nothing when there is no such process. A hundredth of a second is the finest it tells.
std::optional<double> ProcessCpuSeconds(std::int64_t pid);
// Our own.
double OwnCpuSeconds();

}  // namespace apogee
