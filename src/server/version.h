#pragma once

#include <string_view>

namespace apogee {

inline constexpr std::string_view kVersion = "0.1.0";
inline constexpr std::string_view kRocketMqRelease =
    "5.5.0";  // Of kOurVersion in protocol/command.h.

}  // namespace apogee
