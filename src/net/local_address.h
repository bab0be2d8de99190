#pragma once

#include <string>

#include "base/result.h"

namespace apogee {

// The machine's own address from which packets to `host` (an IP address or a name) would leave, by
// asking the kernel's routing table; nothing is sent. kUnavailable when there is no way there. May
// resolve a name: not on a loop.
Result<std::string> LocalAddressTowards(const std::string& host);

}  // namespace apogee
