// A client's heartbeat: what is understood goes out again and is understood the same.
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "protocol/heartbeat.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view body(reinterpret_cast<const char*>(data), size);
  (void)apogee::CheckClientData::Parse(body);
  const auto decoded = apogee::HeartbeatData::Parse(body);
  if (!decoded.ok()) return 0;
  const auto again = apogee::HeartbeatData::Parse(decoded->Encode());
  AP_CHECK(again.ok());
  AP_CHECK(again->consumers.size() == decoded->consumers.size());
  AP_CHECK(again->producer_groups == decoded->producer_groups);
  return 0;
}
