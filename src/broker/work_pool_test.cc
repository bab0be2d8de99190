#include "broker/work_pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "env/fake/manual_workers.h"
#include "env/workers.h"

namespace apogee {
namespace {

using testing::ElementsAre;

TEST(WorkPoolTest, RunsTasksInOrder) {
  ManualWorkers workers;
  WorkPool pool(workers, 2, 10);
  std::vector<int> ran;
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(pool.Post([&ran, i] { ran.push_back(i); }));
  workers.RunWoken();
  EXPECT_THAT(ran, ElementsAre(0, 1, 2));
}

TEST(WorkPoolTest, FullQueueRefusesAndLeavesTheTask) {
  ManualWorkers workers;
  WorkPool pool(workers, 1, 2);
  int ran = 0;
  EXPECT_TRUE(pool.Post([&] { ++ran; }));
  EXPECT_TRUE(pool.Post([&] { ++ran; }));
  WorkPool::Task third = [&] { ran += 10; };
  EXPECT_FALSE(pool.Post(std::move(third)));
  third();
  EXPECT_EQ(ran, 10);
  workers.RunWoken();
  EXPECT_EQ(ran, 12);
  EXPECT_TRUE(pool.Post([&] { ++ran; })) << "there is room again";
}

TEST(WorkPoolTest, StopDestroysWhatWaitsAndTakesNoMore) {
  ManualWorkers workers;
  WorkPool pool(workers, 1, 2);
  auto held = std::make_shared<int>(0);
  EXPECT_TRUE(pool.Post([held] { ++*held; }));
  pool.Stop();
  EXPECT_EQ(held.use_count(), 1);
  EXPECT_EQ(*held, 0);
  EXPECT_FALSE(pool.Post([] {}));
  pool.Stop();
}

TEST(WorkPoolTest, StopsWhileOthersPost) {
  std::atomic<int> taken{0};
  std::atomic<int> ended{0};
  struct Ticket {
    std::atomic<int>* ended;
    ~Ticket() { ++*ended; }
  };
  WorkPool pool(SystemWorkers(), 2, 1000);
  {
    std::vector<std::jthread> posters;
    for (int i = 0; i < 2; ++i) {
      posters.emplace_back([&] {
        for (;;) {
          auto ticket = std::make_shared<Ticket>(&ended);
          WorkPool::Task task = [ticket = std::move(ticket)] {};
          ++taken;
          if (!pool.Post(std::move(task)) && taken > 100) return;
        }
      });
    }
    while (taken < 200) std::this_thread::yield();
    pool.Stop();
  }
  EXPECT_EQ(ended, taken) << "every task ran or was destroyed";
}

}  // namespace
}  // namespace apogee
