// From fastjson's dialect to strict JSON, as text. What it takes beyond the standard: bare integer
// and unquoted names, whole objects as names, single quotes, trailing commas, comments, raw control
// characters and Java's extra escapes in strings, type suffixes on numbers. What it gives is strict
// and compact, so any JSON parser can read it (here simdjson, in json.cc).
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace apogee {

// Nesting of arrays and objects, object names included.
inline constexpr int kJsonDepthMax = 64;

// An object used as a name becomes a string that holds its compact JSON text. Numbers too large for
// 64 bits become floating point. kCorruption with the position of the first byte that does not fit.
// The result's encoding is not checked; it is as the input's.
Result<std::string> ToStrictJson(std::string_view text);

}  // namespace apogee
