// Java properties files, as broker.conf and namesrv.conf are written.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace apogee {

struct Property {
  std::string key;
  std::string value;
  int line = 0;
};

// Reads the format of java.util.Properties: '#' and '!' comments, "key=value", "key:value" or "key
// value", backslash escapes and continued lines. Values are trimmed at both ends, as RocketMQ does.
// kInvalidArgument names the line.
Result<std::vector<Property>> ParseProperties(std::string_view text);

}  // namespace apogee
