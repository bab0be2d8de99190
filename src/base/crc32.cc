#include "base/crc32.h"

#include <libdeflate.h>

namespace apogee {

std::uint32_t Crc32(std::string_view bytes, std::uint32_t seed) {
  return libdeflate_crc32(seed, bytes.data(), bytes.size());
}

}  // namespace apogee
