#include "filter/tag_filter.h"

#include <gtest/gtest.h>

#include "base/java_hash.h"

namespace apogee {
namespace {

Subscription Tags(std::string_view expression) {
  return Subscription::FromExpression("T", expression, "TAG").value();
}

TEST(TagFilterTest, StarAndEmptyPassEverything) {
  EXPECT_TRUE(TagFilter().Passes(7));
  EXPECT_TRUE(TagFilter(Tags("*")).Passes(0));
  Subscription empty;
  empty.expression.clear();
  EXPECT_TRUE(TagFilter(empty).Passes(7));
}

TEST(TagFilterTest, PassesTheTagsNamedAndNoOthers) {
  const Subscription subscription = Tags("TagA || TagB");
  const TagFilter filter(subscription);
  EXPECT_FALSE(filter.passes_all());
  EXPECT_TRUE(filter.Passes(JavaStringHash("TagA")));
  EXPECT_TRUE(filter.Passes(JavaStringHash("TagB")));
  EXPECT_FALSE(filter.Passes(JavaStringHash("TagC")));
  EXPECT_FALSE(filter.Passes(0)) << "a message without tags is for '*' only";
}

TEST(TagFilterTest, EqualHashesOfDifferentTagsPass) {
  ASSERT_EQ(JavaStringHash("Aa"), JavaStringHash("BB"));
  const Subscription subscription = Tags("Aa");
  EXPECT_TRUE(TagFilter(subscription).Passes(JavaStringHash("BB")));
}

TEST(TagFilterTest, NegativeHashesAreComparedInThirtyTwoBits) {
  const Subscription subscription = Tags("order-created");
  const std::int32_t hash = JavaStringHash("order-created");
  const TagFilter filter(subscription);
  EXPECT_TRUE(filter.Passes(std::int64_t{hash}));
  EXPECT_TRUE(filter.Passes(std::int64_t{hash} & 0xFFFFFFFF)) << "the upper half does not count";
}

}  // namespace
}  // namespace apogee
