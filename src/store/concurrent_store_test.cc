// Real threads and workers: appends, reads and deletions at once, for the thread sanitizer and for
// what only happens in parallel.
#include <gmock/gmock.h>

#include <thread>

#include "store/fake/store_fixture.h"

namespace apogee {
namespace {

class ConcurrentStoreTest : public StoreTest {
 protected:
  void OpenReal(FlushMode mode) {
    StoreOptions options = Options();
    options.flush_mode = mode;
    options.segment_bytes = 1 << 20;
    options.flush_interval = std::chrono::milliseconds(5);
    options.flush_thorough_interval = std::chrono::milliseconds(20);
    auto store = MessageStore::Open(options, fs_, SystemClock(), SystemWorkers());
    ASSERT_TRUE(store.ok()) << store.error().ToString();
    store_ = std::move(*store);
  }

  // Reads a queue from its beginning until `count` messages came, as a consumer does.
  void Consume(const QueueId& id, std::int64_t count) {
    std::int64_t next = 0;
    std::vector<QueueEntry> entries;
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (next < count && std::chrono::steady_clock::now() < deadline) {
      entries.clear();
      ASSERT_TRUE(store_->ReadEntries(id, QueueOffset(next), 32, &entries).ok());
      for (const QueueEntry& entry : entries) {
        const auto record = store_->Read(entry);
        ASSERT_TRUE(record.ok()) << record.error().ToString();
        const auto view = DecodeRecord(record->bytes, CrcCheck::kVerify);
        ASSERT_TRUE(view.ok());
        ASSERT_EQ(view->topic, id.topic);
        ASSERT_EQ(view->queue_offset.value(), next);
        ++next;
      }
      if (entries.empty()) std::this_thread::yield();
    }
    EXPECT_EQ(next, count);
  }
};

TEST_F(ConcurrentStoreTest, WritersAndReadersSeeDenseOrderedQueues) {
  constexpr int kEach = 2000;
  OpenReal(FlushMode::kAsync);
  std::vector<std::thread> threads;
  for (int writer = 0; writer < 3; ++writer) {
    threads.emplace_back([&] {
      const std::string body(700, 'x');
      for (int i = 0; i < kEach; ++i) Append("T", i % 2, body);
    });
  }
  for (int queue = 0; queue < 2; ++queue) {
    threads.emplace_back([&, queue] { Consume({"T", queue}, 3 * kEach / 2); });
  }
  for (std::thread& thread : threads) thread.join();
  ASSERT_TRUE(store_->Close().ok());
  OpenReal(FlushMode::kAsync);
  EXPECT_EQ(Bodies("T", 0).size(), 3U * kEach / 2);
}

TEST_F(ConcurrentStoreTest, SyncWaitersAreAllServed) {
  constexpr int kEach = 200;
  OpenReal(FlushMode::kSync);
  std::atomic<int> flushed = 0;
  std::vector<std::thread> threads;
  for (int writer = 0; writer < 4; ++writer) {
    threads.emplace_back([&] {
      for (int i = 0; i < kEach; ++i) {
        const LogOffset end = Append("T", 0, "x").end;
        store_->AwaitFlushed(end, [&flushed, end, this](Durability durability) {
          EXPECT_EQ(durability, Durability::kFlushed);
          EXPECT_GE(store_->flushed(), end);
          ++flushed;
        });
      }
    });
  }
  threads.emplace_back([&] { Consume({"T", 0}, 4 * kEach); });
  for (std::thread& thread : threads) thread.join();
  ASSERT_TRUE(store_->Close().ok());
  EXPECT_EQ(flushed, 4 * kEach);
}

TEST_F(ConcurrentStoreTest, DeletingWhileSendingNeverHurts) {
  OpenReal(FlushMode::kAsync);
  std::atomic<bool> stop = false;
  std::thread sender([&] {
    while (!stop) Append("T", 0, std::string(500, 'x'));
  });
  std::thread reader([&] {
    std::vector<QueueEntry> entries;
    while (!stop) {
      entries.clear();
      (void)store_->ReadEntries({"T", 0}, QueueOffset(0), 32, &entries);
      for (const QueueEntry& entry : entries) (void)store_->Read(entry);
    }
  });
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(store_->DeleteTopic("T").ok());
  stop = true;
  sender.join();
  reader.join();
  ASSERT_TRUE(store_->DeleteTopic("T").ok());
  Append("T", 0, "anew");
  EXPECT_EQ(Bodies("T", 0), std::vector<std::string>{"anew"});
  ASSERT_TRUE(store_->Close().ok());
}

}  // namespace
}  // namespace apogee
