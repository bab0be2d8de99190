// Pieces of remarks that several services share.
#pragma once

#include <string_view>

namespace apogee {

// RocketMQ's answers to what an administrator has to set up end with this line; its users search
// for it.
inline constexpr std::string_view kSeeFaq =
    "\nSee https://rocketmq.apache.org/docs/bestPractice/06FAQ for further details.";

}  // namespace apogee
