#include "filter/tag_filter.h"

#include <algorithm>

namespace apogee {

TagFilter::TagFilter(const Subscription& subscription)
    : all_(subscription.matches_all()), codes_(subscription.tag_codes) {}

bool TagFilter::Passes(std::int64_t tag_code) const {
  if (all_) return true;
  return std::ranges::binary_search(codes_, static_cast<std::int32_t>(tag_code));
}

}  // namespace apogee
