// Reading any bytes as JSON, and reading back what was written from them.

#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/check.h"
#include "base/json.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using apogee::Json;
  const auto json = Json::Parse({reinterpret_cast<const char*>(data), size});
  if (!json.ok()) return 0;
  const std::string text = json->Dump();
  for (const auto style :
       {Json::Style::kCompact, Json::Style::kPretty, Json::Style::kCompactAscii}) {
    const auto again = Json::Parse(json->Dump(style));
    // Raw object names count towards the depth where they stand, so a document at the limit may
    // not come back; nothing else may fail.
    if (!again.ok()) continue;
    AP_CHECK(again->Dump() == text);
  }
  return 0;
}
