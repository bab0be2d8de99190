// Counts of durations with three significant digits, after the idea of HdrHistogram.
//
// A value v stands in the bucket of v >> shift, where shift is the smallest that leaves less than
// 2048: each power of two from 1024 on is cut into 1024 equal parts, so a bucket is never wider
// than a thousandth of its values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace apogee {

class Histogram {
 public:
  Histogram();

  // Negative counts as 0, what is above ~73 minutes as that.
  void Record(std::int64_t nanoseconds);
  void Add(const Histogram& other);

  std::int64_t count() const { return count_; }
  std::int64_t max() const { return max_; }
  std::int64_t min() const { return count_ == 0 ? 0 : min_; }
  double mean() const;
  // The smallest value (to three digits, rounded up) that `percent` of all do not exceed; 0 when
  // there is none.
  std::int64_t Percentile(double percent) const;

 private:
  static constexpr int kPartBits = 10;
  static constexpr int kValueBits = 42;
  static constexpr std::int64_t kValueMax = (std::int64_t{1} << kValueBits) - 1;

  static std::size_t BucketOf(std::int64_t value);
  // The largest value that falls into `bucket`.
  static std::int64_t LargestOf(std::size_t bucket);

  std::vector<std::int64_t> counts_;
  std::int64_t count_ = 0;
  std::int64_t max_ = 0;
  std::int64_t min_ = kValueMax;
  double sum_ = 0;
};

}  // namespace apogee
