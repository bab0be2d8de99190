#include "load/histogram.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace apogee {
namespace {

constexpr std::size_t kParts = 1024;

}  // namespace

Histogram::Histogram() : counts_(BucketOf(kValueMax) + 1) {}

std::size_t Histogram::BucketOf(std::int64_t value) {
  const auto bits = static_cast<std::uint64_t>(value);
  const int shift = std::max(0, static_cast<int>(std::bit_width(bits)) - kPartBits - 1);
  return static_cast<std::size_t>(shift) * kParts + static_cast<std::size_t>(bits >> shift);
}

std::int64_t Histogram::LargestOf(std::size_t bucket) {
  if (bucket < 2 * kParts) return static_cast<std::int64_t>(bucket);
  const std::size_t shift = bucket / kParts - 1;
  const std::size_t part = bucket - shift * kParts;
  return static_cast<std::int64_t>(((part + 1) << shift) - 1);
}

void Histogram::Record(std::int64_t nanoseconds) {
  const std::int64_t value = std::clamp<std::int64_t>(nanoseconds, 0, kValueMax);
  ++counts_[BucketOf(value)];
  ++count_;
  max_ = std::max(max_, value);
  min_ = std::min(min_, value);
  sum_ += static_cast<double>(value);
}

void Histogram::Add(const Histogram& other) {
  for (std::size_t i = 0; i < counts_.size(); ++i) counts_[i] += other.counts_[i];
  count_ += other.count_;
  max_ = std::max(max_, other.max_);
  min_ = std::min(min_, other.min_);
  sum_ += other.sum_;
}

double Histogram::mean() const {
  return count_ == 0 ? 0 : sum_ / static_cast<double>(count_);
}

std::int64_t Histogram::Percentile(double percent) const {
  const auto wanted = static_cast<std::int64_t>(
      std::ceil(static_cast<double>(count_) * std::clamp(percent, 0.0, 100.0) / 100.0));
  std::int64_t seen = 0;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    seen += counts_[i];
    if (seen >= std::max<std::int64_t>(wanted, 1)) return std::min(LargestOf(i), max_);
  }
  return max_;
}

}  // namespace apogee
