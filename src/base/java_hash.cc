#include "base/java_hash.h"

#include "base/utf8.h"

namespace apogee {

std::int32_t JavaStringHash(std::string_view text) {
  std::uint32_t hash = 0;
  while (!text.empty()) {
    const char32_t point = TakeUtf8(text);
    if (point < 0x10000) {
      hash = hash * 31 + point;
    } else {
      hash = hash * 31 + (0xD800 + ((point - 0x10000) >> 10));
      hash = hash * 31 + (0xDC00 + ((point - 0x10000) & 0x3FF));
    }
  }
  return static_cast<std::int32_t>(hash);
}

}  // namespace apogee
