// Strong numbers, where two integers could be swapped.
#pragma once

#include <compare>
#include <cstdint>

namespace apogee {

// An integer with a meaning. Arithmetic with plain integers and differences of two of a kind,
// nothing else.
template <typename Tag>
class StrongInt {
 public:
  constexpr StrongInt() = default;
  constexpr explicit StrongInt(std::int64_t value) : value_(value) {}

  constexpr std::int64_t value() const { return value_; }

  constexpr auto operator<=>(const StrongInt&) const = default;
  constexpr StrongInt operator+(std::int64_t delta) const { return StrongInt(value_ + delta); }
  constexpr StrongInt operator-(std::int64_t delta) const { return StrongInt(value_ - delta); }
  constexpr std::int64_t operator-(StrongInt other) const { return value_ - other.value_; }
  constexpr StrongInt& operator+=(std::int64_t delta) {
    value_ += delta;
    return *this;
  }

 private:
  std::int64_t value_ = 0;
};

// A byte position in the commit log ("physical offset").
using LogOffset = StrongInt<struct LogOffsetTag>;
// The position of a message in its queue, counted in messages ("logical offset", "queue offset").
using QueueOffset = StrongInt<struct QueueOffsetTag>;

}  // namespace apogee
