// The one table from what the broker's services say to RocketMQ's response codes.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "broker/pull_request.h"
#include "broker/send_request.h"

namespace apogee {

std::int32_t ResponseCodeOf(SendStatus status);
std::int32_t ResponseCodeOf(PullStatus status);
// Of errors that no service translated itself.
std::int32_t ResponseCodeOf(const Error& error);

}  // namespace apogee
