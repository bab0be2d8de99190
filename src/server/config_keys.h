// The configuration keys that Apache RocketMQ's servers know, and what becomes of each here: a key
// is honoured, or accepted with one line that says why it has no effect. Anything else stops the
// start.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace apogee {

enum class ConfigType : std::uint8_t { kInt, kBool, kDouble, kText };
enum class ConfigScope : std::uint8_t { kBroker, kNamesrv, kBoth };

struct ConfigKey {
  std::string_view name;
  ConfigType type;
  std::string_view default_value;  // Apache's; ours where we honour it and differ.
  ConfigScope scope;
  std::string_view no_effect;  // Why it has none here; empty: it is honoured.
};

std::span<const ConfigKey> ConfigKeys();  // Sorted by name.
const ConfigKey* FindConfigKey(std::string_view name);
std::string_view NearestConfigKey(std::string_view name);

}  // namespace apogee
