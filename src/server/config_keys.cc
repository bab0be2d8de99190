#include "server/config_keys.h"

#include <algorithm>
#include <vector>

namespace apogee {
namespace {

// Levenshtein distance, case counted as half a step so that a wrong capital is the nearest miss.
int Distance(std::string_view a, std::string_view b) {
  std::vector<int> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = static_cast<int>(j) * 2;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    int diagonal = row[0];
    row[0] = static_cast<int>(i) * 2;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = a[i - 1] == b[j - 1];
      const bool same_letter = (a[i - 1] | 0x20) == (b[j - 1] | 0x20);
      const int replaced = diagonal + (same ? 0 : same_letter ? 1 : 2);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 2, row[j - 1] + 2});
    }
  }
  return row[b.size()];
}

}  // namespace

const ConfigKey* FindConfigKey(std::string_view name) {
  const std::span<const ConfigKey> keys = ConfigKeys();
  const auto at = std::ranges::lower_bound(keys, name, {}, &ConfigKey::name);
  return at != keys.end() && at->name == name ? &*at : nullptr;
}

std::string_view NearestConfigKey(std::string_view name) {
  return std::ranges::min_element(ConfigKeys(), {},
                                  [&](const ConfigKey& key) { return Distance(name, key.name); })
      ->name;
}

}  // namespace apogee
