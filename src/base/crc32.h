#pragma once

#include <cstdint>
#include <string_view>

namespace apogee {

// CRC-32 (IEEE 802.3, as zlib's). RocketMQ stores it with the top bit cleared: see BodyCrc.
std::uint32_t Crc32(std::string_view bytes, std::uint32_t seed = 0);

// The form in which records and registrations carry it: never negative; 0 for an empty body.
inline std::int32_t BodyCrc(std::string_view body) {
  return body.empty() ? 0 : static_cast<std::int32_t>(Crc32(body) & 0x7FFFFFFFU);
}

}  // namespace apogee
