#include "net/event_loop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace apogee {
namespace {

using std::chrono::milliseconds;
using ::testing::ElementsAre;

// Runs `action` on the loop and waits for it.
template <typename Action>
void OnLoop(EventLoop& loop, Action action) {
  std::promise<void> done;
  loop.Post([&] {
    action();
    done.set_value();
  });
  done.get_future().wait();
}

TEST(EventLoop, RunsTasksOfAThreadInTheOrderPosted) {
  const auto loops = EventLoops::Start(1);
  std::vector<int> seen;
  for (int i = 0; i < 1000; ++i) loops->at(0).Post([&seen, i] { seen.push_back(i); });
  OnLoop(loops->at(0), [] {});
  ASSERT_EQ(seen.size(), 1000U);
  EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
}

TEST(EventLoop, KnowsItsOwnThreadAndNamesIt) {
  const auto loops = EventLoops::Start(2);
  EXPECT_FALSE(loops->at(1).InLoop());
  OnLoop(loops->at(1), [&] {
    EXPECT_TRUE(loops->at(1).InLoop());
    EXPECT_FALSE(loops->at(0).InLoop());
    std::array<char, 16> name{};
    pthread_getname_np(pthread_self(), name.data(), name.size());
    EXPECT_STREQ(name.data(), "io/1");
  });
}

TEST(EventLoop, DealsLoopsInTurn) {
  const auto loops = EventLoops::Start(2);
  EventLoop& first = loops->Next();
  EventLoop& second = loops->Next();
  EXPECT_NE(&first, &second);
  EXPECT_EQ(&loops->Next(), &first);
}

TEST(EventLoop, TimersRunInTheOrderOfTheirDeadlines) {
  const auto loops = EventLoops::Start(1);
  std::vector<int> seen;
  std::promise<void> done;
  EventLoop& loop = loops->at(0);
  loop.RunAfter(milliseconds(40), [&] {
    seen.push_back(40);
    done.set_value();
  });
  loop.RunAfter(milliseconds(5), [&] { seen.push_back(5); });
  loop.RunAfter(milliseconds(20), [&] { seen.push_back(20); });
  loop.RunAfter(milliseconds(0), [&] { seen.push_back(0); });
  done.get_future().wait();
  EXPECT_THAT(seen, ElementsAre(0, 5, 20, 40));
}

TEST(EventLoop, ATimerCancelledByAnEarlierOneOfTheSameMomentDoesNotRun) {
  const auto loops = EventLoops::Start(1);
  EventLoop& loop = loops->at(0);
  bool ran = false;
  std::promise<void> done;
  OnLoop(loop, [&] {
    auto victim = std::make_shared<EventLoop::TimerId>();
    loop.RunAfter(milliseconds(1), [&loop, victim] { loop.Cancel(*victim); });
    *victim = loop.RunAfter(milliseconds(1), [&ran] { ran = true; });
    loop.RunAfter(milliseconds(20), [&done] { done.set_value(); });
    std::this_thread::sleep_for(milliseconds(5));  // Both are due when the loop looks again.
  });
  done.get_future().wait();
  OnLoop(loop, [&] { EXPECT_FALSE(ran); });
}

TEST(EventLoop, StopEndsThoughATaskPostsItselfForEver) {
  const auto loops = EventLoops::Start(1);
  EventLoop& loop = loops->at(0);
  std::function<void()> again = [&] { loop.Post(again); };
  loop.Post(again);
  loops->Stop();
  loops->Stop();
}

TEST(EventLoop, DestroysTasksThatWaitWhenItEndsAndRefusesLaterOnes) {
  const auto loops = EventLoops::Start(1);
  EventLoop& loop = loops->at(0);
  auto held = std::make_shared<int>(0);
  const std::weak_ptr<int> alive = held;
  loop.RunAfter(std::chrono::hours(1), [held] {});
  held.reset();
  EXPECT_FALSE(alive.expired());
  loops->Stop();
  EXPECT_TRUE(alive.expired());
  auto late = std::make_shared<int>(0);
  const std::weak_ptr<int> late_alive = late;
  loop.Post([late = std::move(late)] {});
  EXPECT_TRUE(late_alive.expired());
}

TEST(EventLoop, TakesTasksFromManyThreads) {
  const auto loops = EventLoops::Start(2);
  std::array<int, 2> counts{};
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&] {
        for (int i = 0; i < 2000; ++i) {
          loops->at(i % 2).Post([&counts, i] { ++counts[static_cast<std::size_t>(i % 2)]; });
          if (i % 100 == 0) loops->at(0).RunAfter(milliseconds(0), [] {});
        }
      });
    }
  }
  OnLoop(loops->at(0), [&] { EXPECT_EQ(counts[0], 4000); });
  OnLoop(loops->at(1), [&] { EXPECT_EQ(counts[1], 4000); });
}

}  // namespace
}  // namespace apogee
