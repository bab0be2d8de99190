// Unpacking of zlib (RFC 1950) streams that peers send.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace apogee {

inline bool LooksLikeZlib(std::string_view bytes) {
  return bytes.starts_with('\x78');  // Deflate with a 32 KiB window, as every peer's zlib makes it.
}

// The whole stream unpacked. kCorruption: no whole stream, or bytes behind it. kResourceExhausted:
// it would take more than `bytes_max`; memory grows only with what has really been unpacked.
Result<std::string> InflateZlib(std::string_view stream, std::size_t bytes_max);

}  // namespace apogee
