// Decoding any bytes as the body of a batch; items must lie inside it, in order.

#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "message/batch.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view body(reinterpret_cast<const char*>(data), size);
  const auto items = apogee::DecodeBatch(body);
  if (!items.ok()) return 0;
  const char* at = body.data();
  std::size_t bytes = 0;
  for (const apogee::BatchItem& item : *items) {
    AP_CHECK(item.body.data() >= at && item.properties.data() >= item.body.data());
    at = item.properties.data() + item.properties.size();
    bytes += 22 + item.body.size() + item.properties.size();
  }
  AP_CHECK(bytes == size && at == body.data() + size);
  return 0;
}
