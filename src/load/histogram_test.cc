#include "load/histogram.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace apogee {
namespace {

TEST(Histogram, AnEmptyOneHasNoValues) {
  const Histogram histogram;
  EXPECT_EQ(histogram.count(), 0);
  EXPECT_EQ(histogram.Percentile(99), 0);
  EXPECT_EQ(histogram.max(), 0);
  EXPECT_EQ(histogram.min(), 0);
}

TEST(Histogram, SmallValuesAreExact) {
  Histogram histogram;
  for (int i = 1; i <= 1000; ++i) histogram.Record(i);
  EXPECT_EQ(histogram.Percentile(50), 500);
  EXPECT_EQ(histogram.Percentile(99.9), 999);
  EXPECT_EQ(histogram.Percentile(100), 1000);
  EXPECT_EQ(histogram.Percentile(0), 1);
  EXPECT_DOUBLE_EQ(histogram.mean(), 500.5);
}

TEST(Histogram, AnyValueIsKeptToThreeDigits) {
  for (std::int64_t value = 1; value < (std::int64_t{1} << 41); value = value * 7 / 5 + 1) {
    Histogram histogram;
    histogram.Record(value);
    histogram.Record(std::int64_t{1} << 41);  // So that the maximum does not cap the answer.
    const std::int64_t read = histogram.Percentile(50);
    EXPECT_GE(read, value);
    EXPECT_LE(static_cast<double>(read - value), static_cast<double>(value) / 1000.0) << value;
  }
}

TEST(Histogram, PercentilesAgreeWithASortedList) {
  Histogram histogram;
  std::vector<std::int64_t> values;
  std::uint64_t state = 1;
  for (int i = 0; i < 50'000; ++i) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    const auto value = static_cast<std::int64_t>(state >> 40U) * static_cast<std::int64_t>(i % 97);
    values.push_back(value);
    histogram.Record(value);
  }
  std::sort(values.begin(), values.end());
  for (const double percent : {10.0, 50.0, 90.0, 99.0, 99.9, 99.99}) {
    const auto rank = static_cast<std::size_t>(std::ceil(50'000 * percent / 100.0)) - 1;
    const auto exact = static_cast<double>(values[rank]);
    EXPECT_NEAR(static_cast<double>(histogram.Percentile(percent)), exact, exact / 1000.0 + 1);
  }
  EXPECT_EQ(histogram.max(), values.back());
}

TEST(Histogram, AddedOnesCountTogether) {
  Histogram low;
  Histogram high;
  for (int i = 0; i < 90; ++i) low.Record(10);
  for (int i = 0; i < 10; ++i) high.Record(1000);
  low.Add(high);
  EXPECT_EQ(low.count(), 100);
  EXPECT_EQ(low.Percentile(90), 10);
  EXPECT_EQ(low.Percentile(91), 1000);
  EXPECT_EQ(low.min(), 10);
}

TEST(Histogram, ExtremesAreClampedNotLost) {
  Histogram histogram;
  histogram.Record(-5);
  histogram.Record(INT64_MAX);
  EXPECT_EQ(histogram.count(), 2);
  EXPECT_EQ(histogram.min(), 0);
  EXPECT_GT(histogram.max(), std::int64_t{3600} * 1'000'000'000);
}

}  // namespace
}  // namespace apogee
