#pragma once

#include <utility>
#include <vector>

namespace apogee {

// Moves the elements for which `wanted` holds out of `from`; both keep their order.
template <typename T, typename Wanted>
std::vector<T> TakeIf(std::vector<T>& from, Wanted wanted) {
  std::vector<T> taken;
  auto keep = from.begin();
  for (auto element = from.begin(); element != from.end(); ++element) {
    if (wanted(std::as_const(*element))) {
      taken.push_back(std::move(*element));
    } else {
      if (keep != element) *keep = std::move(*element);
      ++keep;
    }
  }
  from.erase(keep, from.end());
  return taken;
}

}  // namespace apogee
