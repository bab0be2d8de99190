#pragma once

#include <cstdint>
#include <string_view>

namespace apogee {

// java.lang.String.hashCode of UTF-8 `text`: h = 31*h + unit over UTF-16 code units, 32-bit
// wraparound. Malformed bytes count as U+FFFD, as Java's decoder would have it.
std::int32_t JavaStringHash(std::string_view text);

}  // namespace apogee
