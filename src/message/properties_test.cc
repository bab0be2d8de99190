#include "message/properties.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/java_hash.h"

namespace apogee {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using namespace std::string_literals;

TEST(PropertiesTest, PairsComeInOrder) {
  EXPECT_THAT(DecodeProperties("KEYS\1a b\2TAGS\1t\2"),
              ElementsAre(Pair("KEYS", "a b"), Pair("TAGS", "t")));
}

TEST(PropertiesTest, LastValueEndMayBeMissing) {
  EXPECT_EQ(FindProperty("A\1x\2TAGS\1TagA", "TAGS"), "TagA");
}

TEST(PropertiesTest, OddPiecesAreSkipped) {
  EXPECT_THAT(DecodeProperties("\2\2x\2ab\2novalue\1\2\1noname\2plain\2a\1\2A\1b\2"),
              ElementsAre(Pair("A", "b")));
  EXPECT_THAT(DecodeProperties(""), IsEmpty());
}

TEST(PropertiesTest, FirstNameEndSeparates) {
  EXPECT_THAT(DecodeProperties("A\1b\1c\2"), ElementsAre(Pair("A", "b\1c")));
}

TEST(PropertiesTest, LastOfEqualNamesCounts) {
  const std::string encoded = "A\1b\2B\1x\2A\1c\2";
  EXPECT_EQ(FindProperty(encoded, "A"), "c");
  EXPECT_THAT(DecodeProperties(encoded), ElementsAre(Pair("A", "c"), Pair("B", "x")));
}

TEST(PropertiesTest, AbsentIsNothing) {
  EXPECT_EQ(FindProperty("AB\1c\2", "A"), std::nullopt);
  EXPECT_EQ(FindProperty("", ""), std::nullopt);
}

TEST(PropertiesTest, AppendEndsWhatWasOpen) {
  std::string encoded = "TAGS\1TagA";
  AppendProperty(encoded, "B", "2");
  EXPECT_EQ(encoded,
            "TAGS\1TagA\2B\1"
            "2\2");
  std::string empty;
  AppendProperty(empty, "B", "2");
  EXPECT_EQ(empty,
            "B\1"
            "2\2");
}

TEST(PropertiesTest, WithoutRemovesEveryOccurrenceAndNothingElse) {
  EXPECT_EQ(WithoutProperty("A\1b\2POP_CK\1x\2C\1d\2POP_CK\1y\2", "POP_CK"), "A\1b\2C\1d\2");
  EXPECT_EQ(WithoutProperty("A\1b\2C\1d", "POP_CK"), "A\1b\2C\1d\2");
  EXPECT_EQ(WithoutProperty("POP_CK\1x", "POP_CK"), "");
  EXPECT_EQ(WithoutProperty("POP_CKX\1x\2", "POP_CK"), "POP_CKX\1x\2");
}

TEST(PropertiesTest, TagCodeIsJavasHashSignExtended) {
  EXPECT_EQ(TagCode("KEYS\1k\2TAGS\1TagA\2"), JavaStringHash("TagA"));
  EXPECT_EQ(TagCode("TAGS\1polygenelubricants\2"), -2147483648LL);
  EXPECT_EQ(TagCode("KEYS\1k\2"), 0);
}

TEST(PropertiesTest, ThousandsOfPairsOfHostileMake) {
  std::string encoded;
  for (int i = 0; encoded.size() < 32000; ++i) AppendProperty(encoded, std::to_string(i), "v");
  EXPECT_GT(DecodeProperties(encoded).size(), 3000U);
}

}  // namespace
}  // namespace apogee
