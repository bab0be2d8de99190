// The body of a batch send: items one after the other, each
//   total 4 | magic 4 (0) | body crc 4 (0) | flag 4 | body length 4 | body | properties length 2 |
//   properties
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace apogee {

struct BatchItem {
  std::int32_t flag = 0;
  std::string_view body;
  std::string_view properties;
};

// Views into `body`. kInvalidArgument when lengths do not add up, properties are longer than 32767
// (a negative length on the wire), or there is no item.
Result<std::vector<BatchItem>> DecodeBatch(std::string_view body);

}  // namespace apogee
