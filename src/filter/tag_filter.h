// The broker's part of tag filtering: the tag code of a queue entry against the codes of a
// subscription. Codes are hashes, so that a different tag may pass: clients compare the tags again.
#pragma once

#include <cstdint>
#include <span>

#include "message/subscription.h"

namespace apogee {

// A view of a subscription, which must outlive it. Threads: any.
class TagFilter {
 public:
  TagFilter() = default;  // Passes everything.
  explicit TagFilter(const Subscription& subscription);

  bool passes_all() const { return all_; }
  // `tag_code` as the queue entry has it: its lower half is Java's hash of the tag, 0 without one.
  bool Passes(std::int64_t tag_code) const;

 private:
  bool all_ = true;
  std::span<const std::int32_t> codes_;  // Sorted.
};

}  // namespace apogee
