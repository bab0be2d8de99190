#pragma once

#include "base/result.h"
#include "nameserver/options.h"
#include "server/config.h"
#include "server/process.h"

namespace apogee {

// What a name server needs to start, taken from the configuration. kInvalidArgument names key and
// value.
Result<NameServerOptions> NameServerOptionsFrom(const Config& config,
                                                const ProcessOptions& options);

}  // namespace apogee
