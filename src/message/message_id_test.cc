#include "message/message_id.h"

#include <gtest/gtest.h>

#include "base/bytes.h"

namespace apogee {
namespace {

TEST(HostTest, TextComesBack) {
  for (const char* text : {"1.2.3.4:10911", "[fd00::1]:10911", "[::]:0", "255.255.255.255:65535"}) {
    const auto host = Host::Parse(text);
    ASSERT_TRUE(host.ok()) << text;
    EXPECT_EQ(host->ToString(), text);
  }
}

TEST(HostTest, BadTextIsRefused) {
  for (const char* text :
       {"", ":", "1.2.3.4", "1.2.3.4:", "1.2.3.4:65536", "1.2.3.4:-1", "1.2.3.4:1x", "1.2.3:1",
        "fd00::1:1", "[fd00::1%eth0]:1", "[1.2.3.4]:1", "[]:1", "[:1", "host:1", "1.2.3.4 :1"}) {
    EXPECT_FALSE(Host::Parse(text).ok()) << text;
  }
}

TEST(MessageIdTest, OffsetIdNamesAPlace) {
  EXPECT_EQ(OffsetMessageId(*Host::Parse("127.0.0.1:39810"), LogOffset(65829)),
            "7F00000100009B820000000000010125");
  const Host v6 = *Host::Parse("[fd00::1]:10911");
  const std::string id = OffsetMessageId(v6, LogOffset(1) + (std::int64_t{1} << 40));
  EXPECT_EQ(id.size(), 56U);
  const auto place = ParseOffsetMessageId(id);
  ASSERT_TRUE(place.ok());
  EXPECT_EQ(place->store_host, v6);
  EXPECT_EQ(place->at, LogOffset((std::int64_t{1} << 40) + 1));
}

TEST(MessageIdTest, LowerCaseIsRead) {
  EXPECT_EQ(ParseOffsetMessageId("7f00000100009b820000000000010125")->at, LogOffset(65829));
}

TEST(MessageIdTest, WhatIsNoIdIsRefused) {
  const std::string id = "7F00000100009B820000000000010125";
  for (std::string text : {std::string(), id.substr(1), id + "0", std::string(32, 'G'),
                           std::string(56, ' '), id.substr(0, 31) + "-"}) {
    EXPECT_EQ(ParseOffsetMessageId(text).error().code(), ErrorCode::kInvalidArgument) << text;
  }
}

// 2026-11-29T22:52:30.564Z: 28 d 22 h 52 min 30.564 s after the start of the month.
TEST(MessageIdTest, UniqueKeyHasTheLayoutOfClients) {
  UniqueKeyMaker maker(*Host::Parse("10.0.0.7:10911"), 0x12345, 0xCAFEBABE);
  constexpr std::int64_t kNow = 1795992750564;
  constexpr std::int64_t kSinceMonthStart = ((28 * 24 + 22) * 60 + 52) * 60'000LL + 30'564;
  std::string time;
  AppendBigEndian(time, static_cast<std::uint32_t>(kSinceMonthStart));
  const std::string first = maker.Make(kNow);
  EXPECT_EQ(first.substr(0, 20), "0A0000072345CAFEBABE");
  std::int64_t ms = std::stoll(first.substr(20, 8), nullptr, 16);
  EXPECT_EQ(ms, kSinceMonthStart);
  EXPECT_EQ(first.substr(28), "0000");
  EXPECT_EQ(maker.Make(kNow).substr(28), "0001");
  UniqueKeyMaker v6(*Host::Parse("[::1]:1"), 1, 1);
  EXPECT_EQ(v6.Make(kNow).size(), 56U);
}

}  // namespace
}  // namespace apogee
