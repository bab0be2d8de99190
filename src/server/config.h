// The effective configuration: Apache's keys with the values that count, from defaults, file and
// command line.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "server/config_keys.h"

namespace apogee {

class Config {
 public:
  // Takes the keys of a properties text. kInvalidArgument: an unknown key (the text names the
  // nearest one) or a value that is not of the key's type; `origin` ("broker.conf") goes into the
  // text.
  Status Load(std::string_view properties, std::string_view origin);
  // One key, from the command line ("key=value").
  Status Set(std::string_view assignment, std::string_view origin);
  Status Set(std::string_view key, std::string_view value, std::string_view origin);

  bool IsSet(std::string_view key) const { return values_.contains(key); }
  // The value or the default. The key must exist and be of that kind.
  std::string Text(std::string_view key) const;
  std::int64_t Int(std::string_view key) const;
  bool Bool(std::string_view key) const;

  // One line a key that was set and has no effect here: "timerMaxDelaySec: timer messages are not
  // served by …".
  std::vector<std::string> Notices() const;
  // All keys of the scope as "key=value" lines, sorted; those without effect as comments with the
  // reason when set.
  std::string Dump(ConfigScope scope) const;

 private:
  std::map<std::string, std::string, std::less<>> values_;
};

}  // namespace apogee
