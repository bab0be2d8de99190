#include "broker/long_poll.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "base/java_hash.h"
#include "broker/fake/broker_parts.h"

namespace apogee {
namespace {

class CountedPull : public HeldPull {
 public:
  explicit CountedPull(int* resumed) : resumed_(resumed) {}
  void Resume(std::unique_ptr<HeldPull>) override { ++*resumed_; }

 private:
  int* resumed_;
};

class LongPollTest : public testing::Test {
 protected:
  LongPollTest() { parts_.store.SetArrivalListener(&polls_); }

  LongPoll::Held Hold(std::int64_t offset, std::int64_t wait_ms = 15'000,
                      std::string_view expression = "*", std::uint64_t client = 1) {
    std::shared_ptr<const Subscription> filter;
    if (expression != "*") {
      filter = std::make_shared<const Subscription>(
          Subscription::FromExpression("T", expression, "TAG").value());
    }
    std::unique_ptr<HeldPull> pull = std::make_unique<CountedPull>(&resumed_);
    const LongPoll::Wish wish{{"T", 0}, offset, std::move(filter), wait_ms, client};
    return polls_.Hold(wish, pull);
  }
  void Arrive(std::int64_t next, std::string_view tag = {}) {
    polls_.OnArrival({"T", 0}, QueueOffset(next), tag.empty() ? 0 : JavaStringHash(tag));
  }
  void Store() {
    RecordFields record;
    record.topic = "T";
    record.body = "x";
    ASSERT_TRUE(parts_.store.Append({&record, 1}).ok());
  }

  BrokerParts parts_;
  ManualWorkers workers_;
  LongPoll polls_{{.waiting_max = 3}, parts_.store, parts_.clock, workers_};
  int resumed_ = 0;
};

TEST_F(LongPollTest, AnArrivalWakesWhoWaitsForIt) {
  ASSERT_EQ(Hold(0), LongPoll::Held::kHeld);
  EXPECT_EQ(polls_.waiting(), 1);
  polls_.OnArrival({"T", 1}, QueueOffset(1), 0);
  polls_.OnArrival({"Other", 0}, QueueOffset(1), 0);
  EXPECT_EQ(resumed_, 0) << "other queues do not matter";
  Store();
  EXPECT_EQ(resumed_, 1);
  EXPECT_EQ(polls_.waiting(), 0);
}

TEST_F(LongPollTest, OnlyMessagesThatPassTheFilterWake) {
  Hold(0, 15'000, "A");
  Hold(0, 15'000, "A || B");
  Arrive(1, "C");
  EXPECT_EQ(resumed_, 0);
  Arrive(2, "B");
  EXPECT_EQ(resumed_, 1);
  Arrive(3, "A");
  EXPECT_EQ(resumed_, 2);
}

TEST_F(LongPollTest, ManyAtOnceWakeWhateverTheNewestIs) {
  Hold(0, 15'000, "A");
  Arrive(3, "C");
  EXPECT_EQ(resumed_, 1) << "the code of two of the three is not known";
}

TEST_F(LongPollTest, ArrivalsAlreadySeenDoNotWake) {
  Hold(5);
  Arrive(5);
  EXPECT_EQ(resumed_, 0);
  Arrive(6);
  EXPECT_EQ(resumed_, 1);
}

TEST_F(LongPollTest, WhatArrivedBeforeTheHoldIsSeen) {
  Store();
  EXPECT_EQ(Hold(0), LongPoll::Held::kArrived);
  EXPECT_EQ(polls_.waiting(), 0);
  EXPECT_EQ(Hold(1), LongPoll::Held::kHeld);
}

TEST_F(LongPollTest, AWakeWhileHoldingIsNotSeenTwice) {
  // The arrival comes between the insertion and the second look at the queue.
  parts_.store.on_range = [this] {
    parts_.store.on_range = nullptr;
    Store();
  };
  EXPECT_EQ(Hold(0), LongPoll::Held::kHeld);
  EXPECT_EQ(resumed_, 1);
  EXPECT_EQ(polls_.waiting(), 0);
}

TEST_F(LongPollTest, TimeUpResumes) {
  Hold(0, 15'000);
  Hold(0, 20'000);
  parts_.clock.Advance(std::chrono::milliseconds(14'999));
  workers_.RunAll();
  EXPECT_EQ(resumed_, 0);
  parts_.clock.Advance(std::chrono::milliseconds(1));
  workers_.RunAll();
  EXPECT_EQ(resumed_, 1);
  parts_.clock.Advance(std::chrono::milliseconds(5'000));
  workers_.RunAll();
  EXPECT_EQ(resumed_, 2);
}

TEST_F(LongPollTest, WithoutLongPollingHoldsAreShort) {
  LongPoll polls({.long_polling = false, .short_polling_ms = 1000}, parts_.store, parts_.clock,
                 workers_);
  std::unique_ptr<HeldPull> pull = std::make_unique<CountedPull>(&resumed_);
  EXPECT_EQ(polls.Hold({{"T", 0}, 0, nullptr, 15'000, 1}, pull), LongPoll::Held::kHeld);
  parts_.clock.Advance(std::chrono::milliseconds(1000));
  workers_.RunAll();
  EXPECT_EQ(resumed_, 1);
}

TEST_F(LongPollTest, TheNumberWaitingIsBounded) {
  for (int i = 0; i < 3; ++i) EXPECT_EQ(Hold(0), LongPoll::Held::kHeld);
  EXPECT_EQ(Hold(0), LongPoll::Held::kFull);
  Arrive(1);
  EXPECT_EQ(resumed_, 3);
  EXPECT_EQ(Hold(1), LongPoll::Held::kHeld);
}

TEST_F(LongPollTest, AClientThatLeftIsDroppedUnanswered) {
  Hold(0, 15'000, "*", 7);
  Hold(0, 15'000, "*", 8);
  polls_.DropClient(7);
  workers_.RunAll();
  EXPECT_EQ(polls_.waiting(), 1);
  Arrive(1);
  EXPECT_EQ(resumed_, 1);
}

TEST_F(LongPollTest, StoppingResumesAllAndHoldsNoMore) {
  Hold(0);
  Hold(0);
  polls_.Stop();
  EXPECT_EQ(resumed_, 2);
  EXPECT_EQ(Hold(0), LongPoll::Held::kStopped);
  EXPECT_EQ(polls_.waiting(), 0);
}

}  // namespace
}  // namespace apogee
