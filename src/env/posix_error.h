#pragma once

#include <string_view>

#include "base/result.h"

namespace apogee {

// "path: what failed: text of `error`", with the kind that callers tell apart. `error` is an errno.
std::unexpected<Error> FailErrno(int error, std::string_view path, std::string_view what);

}  // namespace apogee
