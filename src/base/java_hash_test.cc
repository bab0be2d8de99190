#include "base/java_hash.h"

#include <gtest/gtest.h>

namespace apogee {
namespace {

// Values as java.lang.String.hashCode gives them.
TEST(JavaHashTest, MatchesJava) {
  EXPECT_EQ(JavaStringHash(""), 0);
  EXPECT_EQ(JavaStringHash("a"), 97);
  EXPECT_EQ(JavaStringHash("Aa"), JavaStringHash("BB"));
  EXPECT_EQ(JavaStringHash("Aa"), 2112);
  EXPECT_EQ(JavaStringHash("TagA"), 2598919);
  EXPECT_EQ(JavaStringHash("polygenelubricants"), -2147483647 - 1);
  EXPECT_EQ(JavaStringHash("hello world"), 1794106052);
}

TEST(JavaHashTest, CountsUtf16Units) {
  EXPECT_EQ(JavaStringHash("\xC3\xA4"), 0xE4);
  EXPECT_EQ(JavaStringHash("\xE4\xBD\xA0"), 0x4F60);
  EXPECT_EQ(JavaStringHash("\xF0\x9F\x98\x80"), 0xD83D * 31 + 0xDE00);
}

TEST(JavaHashTest, MalformedBytesCountAsReplacementCharacters) {
  EXPECT_EQ(JavaStringHash("\xFF"), 0xFFFD);
  EXPECT_EQ(JavaStringHash("\xE4\xBD"), 0xFFFD);                // A cut sequence is one.
  EXPECT_EQ(JavaStringHash("\xC0\x80"), 0xFFFD * 31 + 0xFFFD);  // Overlong: each byte is one.
}

}  // namespace
}  // namespace apogee
