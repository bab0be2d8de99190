#include "broker/broker_stats.h"

#include <gtest/gtest.h>

#include <chrono>

#include "env/fake/manual_clock.h"

namespace apogee {
namespace {

using std::chrono::seconds;

class BrokerStatsTest : public testing::Test {
 protected:
  // `count` seconds with `per_second` messages put each and half of them got.
  void Pass(int count, int per_second) {
    for (int i = 0; i < count; ++i) {
      stats_.Put(per_second, per_second * 100);
      stats_.Got(per_second / 2);
      clock_.Advance(seconds(1));
      stats_.Sample();
    }
  }

  ManualClock clock_;  // Starts at midnight.
  BrokerStats stats_{clock_};
};

TEST_F(BrokerStatsTest, RatesAreOfTenSixtyAndSixHundredSeconds) {
  EXPECT_EQ(stats_.PutRates(), "0.0 0.0 0.0");
  Pass(590, 10);
  Pass(10, 70);
  EXPECT_EQ(stats_.PutRates(), "70.0 20.0 11.0");
  EXPECT_EQ(stats_.GotRates(), "35.0 10.0 5.5");
  Pass(600, 0);
  EXPECT_EQ(stats_.PutRates(), "0.0 0.0 0.0");
  EXPECT_EQ(stats_.put(), 590 * 10 + 10 * 70);
  EXPECT_EQ(stats_.put_bytes(), stats_.put() * 100);
}

TEST_F(BrokerStatsTest, YoungBrokersRatesAreOfTheTimeItRuns) {
  Pass(4, 8);
  EXPECT_EQ(stats_.PutRates(), "8.0 8.0 8.0");
}

TEST_F(BrokerStatsTest, RemembersTheTotalsOfTheLastTwoMornings) {
  Pass(1, 10);
  EXPECT_EQ(stats_.mornings().put_today, 0);
  clock_.Advance(std::chrono::hours(24));
  Pass(1, 5);
  EXPECT_EQ(stats_.mornings().put_today, 15);
  EXPECT_EQ(stats_.mornings().put_yesterday, 0);
  clock_.Advance(std::chrono::hours(24));
  Pass(1, 1);
  EXPECT_EQ(stats_.mornings().put_yesterday, 15);
  EXPECT_EQ(stats_.mornings().put_today, 16);
  EXPECT_EQ(stats_.mornings().got_today, 7);
  clock_.SetWallMs(0);
  Pass(1, 1);
  EXPECT_EQ(stats_.mornings().put_today, 16);
}

}  // namespace
}  // namespace apogee
