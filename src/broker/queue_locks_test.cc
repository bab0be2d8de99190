#include "broker/queue_locks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "env/fake/manual_clock.h"

namespace apogee {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;

class QueueLocksTest : public testing::Test {
 protected:
  const QueueId q0_{"T", 0};
  const QueueId q1_{"T", 1};
  ManualClock clock_;
  QueueLocks locks_{clock_};
};

TEST_F(QueueLocksTest, OneClientHoldsAQueueOfAGroup) {
  EXPECT_THAT(locks_.Lock("g", "a", {q0_}), ElementsAre(q0_));
  EXPECT_THAT(locks_.Lock("g", "b", {q0_, q1_}), ElementsAre(q1_));
  EXPECT_THAT(locks_.Lock("g", "a", {q0_, q1_}), ElementsAre(q0_));
  EXPECT_THAT(locks_.Lock("other", "b", {q0_}), ElementsAre(q0_)) << "groups do not meet";
}

TEST_F(QueueLocksTest, OnlyTheHolderUnlocks) {
  locks_.Lock("g", "a", {q0_});
  locks_.Unlock("g", "b", {q0_});
  EXPECT_THAT(locks_.Lock("g", "b", {q0_}), IsEmpty());
  locks_.Unlock("g", "a", {q0_});
  EXPECT_THAT(locks_.Lock("g", "b", {q0_}), ElementsAre(q0_));
}

TEST_F(QueueLocksTest, LockLivesSixtySecondsAfterItsLastRefresh) {
  locks_.Lock("g", "a", {q0_});
  clock_.Advance(seconds(40));
  locks_.Lock("g", "a", {q0_});
  clock_.Advance(seconds(60));
  EXPECT_TRUE(locks_.AnyHeld("g"));
  EXPECT_THAT(locks_.Lock("g", "b", {q0_}), IsEmpty());
  clock_.Advance(seconds(1));
  EXPECT_FALSE(locks_.AnyHeld("g"));
  EXPECT_THAT(locks_.Lock("g", "b", {q0_}), ElementsAre(q0_));
}

TEST_F(QueueLocksTest, StepOfTheWallClockExpiresNothing) {
  locks_.Lock("g", "a", {q0_});
  clock_.SetWallMs(clock_.WallMs() + 3'600'000);
  EXPECT_TRUE(locks_.AnyHeld("g"));
}

TEST_F(QueueLocksTest, DeletedTopicsLocksAreGone) {
  const QueueId other{"U", 0};
  locks_.Lock("g", "a", {q0_, other});
  locks_.RemoveTopic("T");
  EXPECT_THAT(locks_.Lock("g", "b", {q0_, other}), ElementsAre(q0_));
}

}  // namespace
}  // namespace apogee
