// An IP address with a port, as records and message ids carry it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace apogee {

struct Host {
  std::array<std::uint8_t, 16> ip{};  // The first four bytes for IPv4.
  bool v6 = false;
  std::int32_t port = 0;

  std::size_t ip_size() const { return v6 ? 16 : 4; }
  std::string_view ip_bytes() const {
    return {reinterpret_cast<const char*>(ip.data()), ip_size()};
  }
  bool operator==(const Host&) const = default;

  // "1.2.3.4:10911", "[fd00::1]:10911". A scope suffix is refused.
  static Result<Host> Parse(std::string_view text);
  std::string ToString() const;
};

}  // namespace apogee
