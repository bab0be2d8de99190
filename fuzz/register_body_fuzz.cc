// The body of a broker's registration, in all its forms. The first byte chooses the version.
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "protocol/register_broker.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  constexpr std::int32_t kVersions[] = {403, 513, 30, -1};
  const std::string_view body(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto decoded = apogee::DecodeRegisterBrokerBody(body, kVersions[data[0] % 4]);
  if (!decoded.ok()) return 0;
  const auto again = apogee::DecodeRegisterBrokerBody(decoded->Encode(), 513);
  AP_CHECK(again.ok());
  return 0;
}
