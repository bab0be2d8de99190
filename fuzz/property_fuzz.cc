// Any bytes as a property string: all readings of it agree, and editing keeps the rest.

#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "message/properties.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace apogee;
  const std::string_view encoded(reinterpret_cast<const char*>(data), size);
  const auto pairs = DecodeProperties(encoded);
  std::string rebuilt;
  for (const auto& [name, value] : pairs) {
    AP_CHECK(!name.empty() && !value.empty());
    AP_CHECK(FindProperty(encoded, name) == value);
    AppendProperty(rebuilt, name, value);
  }
  AP_CHECK(DecodeProperties(rebuilt) == pairs);
  TagCode(encoded);
  if (!pairs.empty()) {
    const std::string without = WithoutProperty(encoded, pairs[0].first);
    AP_CHECK(!FindProperty(without, pairs[0].first));
    for (std::size_t i = 1; i < pairs.size(); ++i) {
      AP_CHECK(FindProperty(without, pairs[i].first) == pairs[i].second);
    }
  }
  return 0;
}
