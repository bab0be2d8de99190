#include "env/workers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "env/clock.h"
#include "env/fake/manual_clock.h"
#include "env/fake/manual_workers.h"
#include "env/fake/seeded_random.h"
#include "env/random.h"

namespace apogee {
namespace {

using testing::ElementsAre;
using namespace std::chrono_literals;

// Polls until `done` or half a minute has passed.
template <typename Done>
bool Eventually(Done done) {
  const std::int64_t begin = SystemClock().MonotonicNs();
  while (!done()) {
    if (SystemClock().MonotonicNs() - begin > 30'000'000'000) return false;
    std::this_thread::yield();
  }
  return true;
}

TEST(SystemWorkersTest, FirstStepRunsAtOnceAndWaitsAreKept) {
  std::atomic<int> steps = 0;
  const auto worker = SystemWorkers().Start("test", [&] {
    ++steps;
    return Workers::Wait(1ms);
  });
  EXPECT_TRUE(Eventually([&] { return steps >= 5; }));
}

TEST(SystemWorkersTest, NoWakeIsLost) {
  std::atomic<int> given = 0;
  std::atomic<int> seen = 0;
  const auto worker = SystemWorkers().Start("a-name-longer-than-15", [&] {
    seen = given.load();
    return Workers::kUntilWoken;
  });
  for (int i = 1; i <= 2000; ++i) {
    given = i;
    worker->Wake();
    if (i % 100 == 0) {
      ASSERT_TRUE(Eventually([&] { return seen == i; })) << i;
    }
  }
}

TEST(SystemWorkersTest, WakeDuringAStepCausesOneMore) {
  std::atomic<int> steps = 0;
  std::atomic<bool> inside = false;
  std::atomic<bool> leave = false;
  const auto worker = SystemWorkers().Start("test", [&] {
    inside = true;
    while (!leave) std::this_thread::yield();
    ++steps;
    return Workers::kUntilWoken;
  });
  ASSERT_TRUE(Eventually([&] { return inside.load(); }));
  worker->Wake();
  leave = true;
  EXPECT_TRUE(Eventually([&] { return steps == 2; }));
}

TEST(SystemWorkersTest, NoStepRunsAfterTheEnd) {
  for (int i = 0; i < 50; ++i) {
    auto shared = std::make_unique<int>(0);
    auto worker = SystemWorkers().Start("test", [&shared] {
      ++*shared;
      return Workers::Wait(0);
    });
    if (i % 2 == 0) worker->Wake();
    worker.reset();
    shared.reset();
  }
}

TEST(SystemWorkersTest, EndsAWorkerThatWaitsForEver) {
  std::atomic<bool> ran = false;
  auto worker = SystemWorkers().Start("test", [&] {
    ran = true;
    return Workers::kUntilWoken;
  });
  ASSERT_TRUE(Eventually([&] { return ran.load(); }));
  worker.reset();
}

TEST(ManualWorkersTest, StepsRunWhenToldAndInOrder) {
  ManualWorkers workers;
  std::vector<std::string> ran;
  const auto record = [&ran](const char* name) {
    return [&ran, name] {
      ran.emplace_back(name);
      return Workers::Wait(5ms);
    };
  };
  const auto a = workers.Start("a", record("a"));
  auto b = workers.Start("b", record("b"));
  EXPECT_TRUE(ran.empty());
  EXPECT_TRUE(workers.RunOnce("b"));
  workers.RunAll();
  EXPECT_THAT(ran, ElementsAre("b", "a", "b"));
  EXPECT_EQ(workers.LastWait("a"), 5ms);
  b.reset();
  EXPECT_FALSE(workers.RunOnce("b"));
  EXPECT_THAT(workers.Names(), ElementsAre("a"));
}

TEST(ManualWorkersTest, WokenOnesRunUntilNobodyIsWoken) {
  ManualWorkers workers;
  std::unique_ptr<Worker> b;
  int a_steps = 0;
  int b_steps = 0;
  const auto a = workers.Start("a", [&] {
    if (++a_steps < 3) b->Wake();
    return Workers::kUntilWoken;
  });
  b = workers.Start("b", [&] {
    ++b_steps;
    a->Wake();
    return Workers::kUntilWoken;
  });
  workers.RunWoken();
  EXPECT_FALSE(workers.IsWoken("a"));
  EXPECT_EQ(a_steps, 3);
  EXPECT_EQ(b_steps, 2);
}

TEST(ManualWorkersTest, ChanceReachesEveryWorker) {
  ManualWorkers workers;
  SeededRandom random(1);
  EXPECT_FALSE(workers.RunRandom(random));
  int steps[2] = {};
  const auto a = workers.Start("a", [&] { return ++steps[0], Workers::kUntilWoken; });
  const auto b = workers.Start("b", [&] { return ++steps[1], Workers::kUntilWoken; });
  for (int i = 0; i < 50; ++i) EXPECT_TRUE(workers.RunRandom(random));
  EXPECT_GT(steps[0], 0);
  EXPECT_GT(steps[1], 0);
  EXPECT_EQ(steps[0] + steps[1], 50);
}

TEST(ClockTest, MachineClocksMove) {
  const std::int64_t begin = SystemClock().MonotonicNs();
  EXPECT_GT(SystemClock().WallMs(), 1'700'000'000'000);
  EXPECT_TRUE(Eventually([&] { return SystemClock().MonotonicNs() > begin; }));
}

TEST(ClockTest, ManualClockStandsStillUntilMoved) {
  ManualClock clock;
  const std::int64_t begin = clock.MonotonicMs();
  EXPECT_EQ(clock.WallMs(), ManualClock::kStartWallMs);
  clock.Advance(1500us);
  clock.Advance(500us);
  EXPECT_EQ(clock.MonotonicMs(), begin + 2);
  EXPECT_EQ(clock.WallMs(), ManualClock::kStartWallMs + 2);
  clock.SetWallMs(7);
  EXPECT_EQ(clock.WallMs(), 7);
  EXPECT_EQ(clock.MonotonicMs(), begin + 2);
}

TEST(RandomTest, SeedsRepeat) {
  SeededRandom a(7);
  SeededRandom b(7);
  SeededRandom c(8);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(a.Next(), b.Next());
  EXPECT_NE(a.Next(), c.Next());
}

TEST(RandomTest, BelowIsBelowAndReachesAll) {
  for (Random* random : {&SystemRandom(), static_cast<Random*>(new SeededRandom(3))}) {
    int seen[5] = {};
    for (int i = 0; i < 1000; ++i) ++seen[random->Below(5)];
    for (const int count : seen) EXPECT_GT(count, 100);
    EXPECT_EQ(random->Below(1), 0U);
    if (random != &SystemRandom()) delete random;
  }
}

TEST(RandomTest, MachineNumbersDoNotRepeat) {
  EXPECT_NE(SystemRandom().Next(), SystemRandom().Next());
}

}  // namespace
}  // namespace apogee
