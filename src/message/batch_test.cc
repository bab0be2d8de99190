#include "message/batch.h"

#include <gtest/gtest.h>

#include <string>

#include "base/bytes.h"
#include "base/java_hash.h"
#include "message/properties.h"

namespace apogee {
namespace {

std::string Item(std::string_view body, std::string_view properties, std::int32_t flag = 0) {
  std::string bytes;
  AppendBigEndian(bytes, static_cast<std::int32_t>(22 + body.size() + properties.size()));
  AppendBigEndian(bytes, 0);
  AppendBigEndian(bytes, 0);
  AppendBigEndian(bytes, flag);
  AppendBigEndian(bytes, static_cast<std::int32_t>(body.size()));
  bytes += body;
  AppendBigEndian(bytes, static_cast<std::uint16_t>(properties.size()));
  bytes += properties;
  return bytes;
}

TEST(BatchTest, ItemsComeInOrder) {
  const std::string body = Item("one", "A\1b\2", 9) + Item("", "") + Item("three", "C\1d\2");
  const auto items = DecodeBatch(body);
  ASSERT_TRUE(items.ok()) << items.error().ToString();
  ASSERT_EQ(items->size(), 3U);
  EXPECT_EQ((*items)[0].flag, 9);
  EXPECT_EQ((*items)[0].body, "one");
  EXPECT_EQ((*items)[0].properties, "A\1b\2");
  EXPECT_EQ((*items)[1].body, "");
  EXPECT_EQ((*items)[2].body, "three");
  EXPECT_EQ((*items)[2].properties, "C\1d\2");
}

TEST(BatchTest, TagWithoutValueEndIsTheTag) {
  const std::string body = Item("m", "KEYS\1k\2TAGS\1TagA") + Item("n", "TAGS\1TagB\2");
  const auto items = DecodeBatch(body);
  ASSERT_TRUE(items.ok());
  EXPECT_EQ(TagCode((*items)[0].properties), JavaStringHash("TagA"));
  EXPECT_EQ(TagCode((*items)[1].properties), JavaStringHash("TagB"));
}

TEST(BatchTest, PropertiesOf32767BytesAreTheLongest) {
  const std::string longest(32767, 'p');
  const std::string fits = Item("a", "") + Item("b", longest);
  EXPECT_TRUE(DecodeBatch(fits).ok());
  const std::string body = Item("a", "") + Item("b", longest + "p") + Item("c", "");
  const auto items = DecodeBatch(body);
  ASSERT_FALSE(items.ok());
  EXPECT_EQ(items.error().code(), ErrorCode::kInvalidArgument);
  EXPECT_NE(items.error().message().find("32767"), std::string::npos);
  EXPECT_NE(items.error().message().find("item 2"), std::string::npos);
}

TEST(BatchTest, NothingIsNoBatch) {
  EXPECT_EQ(DecodeBatch("").error().code(), ErrorCode::kInvalidArgument);
}

TEST(BatchTest, CutBodyIsRefusedAtEveryLength) {
  const std::string first = Item("one", "A\1b\2");
  const std::string body = first + Item("two", "C\1d\2");
  for (std::size_t size = 1; size < body.size(); ++size) {
    if (size == first.size()) continue;  // One whole item.
    EXPECT_FALSE(DecodeBatch(body.substr(0, size)).ok()) << size;
  }
}

TEST(BatchTest, EveryWrongLengthIsRefused) {
  const std::string good = Item("one", "A\1b\2") + Item("two", "");
  for (const std::int32_t total : {-1, 0, 1, 21, 28, 30, 0x7FFFFFFF}) {
    std::string body = good;
    StoreBigEndian(body.data(), total);
    EXPECT_FALSE(DecodeBatch(body).ok()) << total;
  }
  for (const std::int32_t size : {-1, 0, 2, 4, 0x7FFFFFFF}) {
    std::string body = good;
    StoreBigEndian(body.data() + 16, size);
    EXPECT_FALSE(DecodeBatch(body).ok()) << size;
  }
  for (const std::int16_t size : {-1, 0, 3, 5, 32767}) {
    std::string body = good;
    StoreBigEndian(body.data() + 23, size);
    EXPECT_FALSE(DecodeBatch(body).ok()) << size;
  }
}

}  // namespace
}  // namespace apogee
