#include "broker/send_properties.h"

#include <gtest/gtest.h>

#include <string>

#include "message/properties.h"

namespace apogee {
namespace {

using std::string_literals::operator""s;

std::string Encoded(
    std::initializer_list<std::pair<std::string_view, std::string_view>> properties) {
  std::string encoded;
  for (const auto& [name, value] : properties) AppendProperty(encoded, name, value);
  return encoded;
}

TEST(SendPropertiesTest, AWellFormedStringIsCleanAndItsSignsAreSeen) {
  const std::string encoded =
      Encoded({{"KEYS", "k1 k2"}, {"UNIQ_KEY", "U1"}, {"WAIT", "TRUE"}, {"TAGS", "A"}});
  const SendProperties found = WalkProperties(encoded);
  EXPECT_FALSE(found.unclean);
  EXPECT_TRUE(found.has_keys);
  EXPECT_TRUE(found.wait);
  EXPECT_EQ(found.unique_key, "U1");
  EXPECT_FALSE(found.transaction);
}

TEST(SendPropertiesTest, OnlyTheTextTrueWaits) {
  EXPECT_TRUE(WalkProperties("").wait);
  EXPECT_FALSE(WalkProperties(Encoded({{"WAIT", "false"}})).wait);
  EXPECT_FALSE(WalkProperties(Encoded({{"WAIT", "yes"}})).wait);
}

TEST(SendPropertiesTest, WhatNoReaderWouldSeeMakesTheStringUnclean) {
  EXPECT_TRUE(WalkProperties("garbage").unclean);
  EXPECT_TRUE(WalkProperties("TAGS\1TagA").unclean) << "the last pair is not terminated";
  EXPECT_TRUE(WalkProperties("UNIQ_KEY\1\2TAGS\1A\2").unclean) << "an empty value";
  EXPECT_TRUE(WalkProperties("TAGS\1A\2rest").unclean);
}

TEST(SendPropertiesTest, CleaningTerminatesDropsAndKeepsTheRest) {
  EXPECT_EQ(CleanProperties("TAGS\1TagA"), "TAGS\1TagA\2");
  EXPECT_EQ(CleanProperties("garbage"), "");
  const std::string encoded = Encoded(
      {{"a", "1"}, {"POP_CK", "0 1 2"}, {"MSG_REGION", "x"}, {"CLUSTER", "y"}, {"TRACE_ON", "z"}});
  EXPECT_TRUE(WalkProperties(encoded).unclean);
  EXPECT_EQ(CleanProperties(encoded), "a\1"s + "1\2");
}

Delivery DeliveryFor(std::string_view name, std::string_view value, std::int64_t now = 1'000'000) {
  const std::string encoded = Encoded({{name, value}});
  return DeliveryOf(WalkProperties(encoded), 0, 0, now);
}

TEST(SendPropertiesTest, DelayLevelsAboveZeroAreDelayed) {
  EXPECT_EQ(DeliveryFor("DELAY", "3"), Delivery::kDelayed);
  EXPECT_EQ(DeliveryFor("DELAY", "99"), Delivery::kDelayed);
  EXPECT_EQ(DeliveryFor("DELAY", "0"), Delivery::kNow);
  EXPECT_EQ(DeliveryFor("DELAY", "-1"), Delivery::kNow);
  EXPECT_EQ(DeliveryFor("DELAY", "abc"), Delivery::kDelayIllegal);
}

TEST(SendPropertiesTest, TimersInTheFutureArePutOffAndThoseInThePastAreNot) {
  EXPECT_EQ(DeliveryFor("TIMER_DELAY_SEC", "5"), Delivery::kTimer);
  EXPECT_EQ(DeliveryFor("TIMER_DELAY_SEC", "-5"), Delivery::kNow);
  EXPECT_EQ(DeliveryFor("TIMER_DELAY_MS", "2500"), Delivery::kTimer);
  EXPECT_EQ(DeliveryFor("TIMER_DELIVER_MS", "999999"), Delivery::kNow);
  EXPECT_EQ(DeliveryFor("TIMER_DELIVER_MS", "1000001"), Delivery::kTimer);
  EXPECT_EQ(DeliveryFor("TIMER_DELAY_SEC", "abc"), Delivery::kTimerIllegal);
  EXPECT_EQ(DeliveryFor("TIMER_DELAY_SEC", "259201"), Delivery::kTimerIllegal);
}

TEST(SendPropertiesTest, TimersThatWouldOverflowAreTooFarAndNotInThePast) {
  for (const char* value : {"9223372036854775807", "9223372036854776"}) {
    EXPECT_EQ(DeliveryFor("TIMER_DELAY_SEC", value), Delivery::kTimerIllegal) << value;
    EXPECT_EQ(DeliveryFor("TIMER_DELAY_MS", value), Delivery::kTimerIllegal) << value;
    EXPECT_EQ(DeliveryFor("TIMER_DELIVER_MS", value), Delivery::kTimerIllegal) << value;
  }
}

TEST(SendPropertiesTest, HalfMessagesAreToldByPropertyOrSysFlag) {
  const std::string encoded = Encoded({{"TRAN_MSG", "true"}});
  EXPECT_EQ(DeliveryOf(WalkProperties(encoded), 0, 0, 0), Delivery::kTransactional);
  EXPECT_EQ(DeliveryOf({}, 0x4, 0, 0), Delivery::kTransactional);
  EXPECT_EQ(DeliveryOf({}, 0xC, 0, 0), Delivery::kTransactional);
  EXPECT_EQ(DeliveryOf({}, 0x8, 0, 0), Delivery::kNow) << "committed";
}

}  // namespace
}  // namespace apogee
