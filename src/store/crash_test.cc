// Stores that crash at any moment, from seeds: the process is killed, or the power fails and takes
// or tears what was not synced. Checked after each: nothing durable is lost, nothing at all when
// only the process died, queues are dense and in order, and nothing is served that was not sent.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "env/fake/manual_clock.h"
#include "env/fake/manual_workers.h"
#include "env/fake/memory_file_system.h"
#include "env/fake/seeded_random.h"
#include "message/record.h"
#include "store/message_store.h"

namespace apogee {
namespace {

class CrashTest : public testing::TestWithParam<int> {
 protected:
  struct Sent {
    std::string body;
    LogOffset end;
  };

  CrashTest() : random_(static_cast<std::uint64_t>(GetParam())) {
    options_.root = "/store";
    options_.segment_bytes = 32'768;
    options_.queue_file_bytes = 1'000;
    options_.flush_mode = random_.Below(2) == 0 ? FlushMode::kAsync : FlushMode::kSync;
  }

  bool TryOpen() {
    auto store = MessageStore::Open(options_, fs_, clock_, workers_);
    if (!store.ok()) {
      EXPECT_TRUE(fs_.is_dying()) << store.error().ToString();
      return false;
    }
    store_ = std::move(*store);
    return true;
  }

  void AppendSome() {
    const QueueId id{"T" + std::to_string(random_.Below(3)),
                     static_cast<std::int32_t>(random_.Below(2))};
    std::vector<std::string> bodies;
    for (std::uint64_t n = random_.Below(8) == 0 ? 1 + random_.Below(5) : 1; n > 0; --n) {
      bodies.push_back("message " + std::to_string(++number_) + " " +
                       std::string(random_.Below(3) == 0 ? random_.Below(6'000) : 10, 'x'));
    }
    std::vector<RecordFields> fields(bodies.size());
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      fields[i].topic = id.topic;
      fields[i].queue_id = id.queue;
      fields[i].body = bodies[i];
    }
    const auto appended = store_->Append(fields);
    if (!appended.ok()) return;  // No room, and the disk is dead.
    auto& queue = sent_[id];
    ASSERT_EQ(appended->queue_offset.value(), static_cast<std::int64_t>(queue.size()));
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      const bool last = i + 1 == bodies.size();
      queue.push_back({bodies[i], last ? appended->end : appended->more_offsets[i]});
    }
  }

  // What the queue holds now; each message checked against its entry.
  std::vector<std::string> Served(const QueueId& id) {
    std::vector<std::string> bodies;
    const auto range = store_->Range(id);
    if (!range) return bodies;
    EXPECT_EQ(range->min, QueueOffset(0));
    std::vector<QueueEntry> entries;
    EXPECT_TRUE(
        store_->ReadEntries(id, range->min, static_cast<std::int32_t>(range->max.value()), &entries)
            .ok());
    EXPECT_EQ(static_cast<std::int64_t>(entries.size()), range->max.value());
    for (const QueueEntry& entry : entries) {
      const auto record = store_->Read(entry);
      EXPECT_TRUE(record.ok());
      if (!record.ok()) break;
      const auto view = DecodeRecord(record->bytes, CrcCheck::kVerify);
      EXPECT_TRUE(view.ok());
      if (!view.ok()) break;
      EXPECT_EQ(view->topic, id.topic);
      EXPECT_EQ(view->queue_id, id.queue);
      EXPECT_EQ(view->queue_offset.value(), static_cast<std::int64_t>(bodies.size()));
      bodies.emplace_back(view->body);
    }
    return bodies;
  }

  // `durable`: what had been flushed when the crash came.
  void CheckAfter(CrashMode mode, LogOffset durable) {
    for (auto& [id, queue] : sent_) {
      const std::vector<std::string> served = Served(id);
      ASSERT_LE(served.size(), queue.size()) << id.topic << "/" << id.queue;
      for (std::size_t i = 0; i < served.size(); ++i) ASSERT_EQ(served[i], queue[i].body);
      if (mode == CrashMode::kProcess || mode == CrashMode::kPowerKept) {
        ASSERT_EQ(served.size(), queue.size()) << id.topic << "/" << id.queue;
      }
      if (served.size() < queue.size()) {
        ASSERT_GT(queue[served.size()].end, durable)
            << id.topic << "/" << id.queue << " lost message " << served.size();
      }
      queue.resize(served.size());
    }
    for (const QueueId& id : store_->Queues()) {
      ASSERT_TRUE(sent_.contains(id) || store_->Range(id)->max.value() == 0) << id.topic;
    }
  }

  void Restart(CrashMode mode) {
    fs_.Crash(mode, random_);
    store_.reset();
    fs_.Restart();
    ASSERT_TRUE(TryOpen());
  }

  void CrashAndReopen() {
    const LogOffset durable = store_->flushed();
    static constexpr CrashMode kModes[] = {CrashMode::kProcess, CrashMode::kPowerLost,
                                           CrashMode::kPowerKept, CrashMode::kPowerTorn};
    CrashMode mode = kModes[random_.Below(4)];
    fs_.Crash(mode, random_);
    store_.reset();
    fs_.Restart();
    // Some recoveries are cut short by another crash.
    while (random_.Below(4) == 0) {
      fs_.DieAfter(static_cast<std::int64_t>(random_.Below(60)));
      const bool opened = TryOpen();
      const CrashMode again = kModes[random_.Below(4)];
      if (again == CrashMode::kPowerLost || again == CrashMode::kPowerTorn) mode = again;
      fs_.Crash(again, random_);
      if (opened) store_.reset();
      fs_.Restart();
    }
    ASSERT_TRUE(TryOpen());
    CheckAfter(mode, durable);
  }

  void RunSteps() {
    for (int step = 0; step < 150 && !HasFatalFailure(); ++step) {
      const std::uint64_t what = random_.Below(100);
      if (what < 70) {
        AppendSome();
      } else if (what < 90) {
        workers_.RunRandom(random_);
      } else if (what < 95) {
        clock_.Advance(std::chrono::milliseconds(random_.Below(12'000)));
      } else if (what < 97) {
        fs_.DieAfter(static_cast<std::int64_t>(random_.Below(20)));
      } else if (what < 98 && !fs_.is_dying()) {
        const Status closed = store_->Close();
        if (closed.ok()) {
          store_.reset();
          if (!TryOpen()) Restart(CrashMode::kProcess);
          CheckAfter(CrashMode::kProcess, store_->tail());
        } else {
          CrashAndReopen();
        }
      } else {
        CrashAndReopen();
      }
    }
    if (!HasFatalFailure()) CrashAndReopen();
  }

  SeededRandom random_;
  StoreOptions options_;
  MemoryFileSystem fs_;
  ManualClock clock_;
  ManualWorkers workers_;
  std::unique_ptr<MessageStore> store_;
  std::map<QueueId, std::vector<Sent>> sent_;
  int number_ = 0;
};

TEST_P(CrashTest, NothingDurableIsLostAndNothingElseIsServed) {
  SCOPED_TRACE("seed " + std::to_string(GetParam()));
  ASSERT_TRUE(TryOpen());
  RunSteps();
}

// APOGEE_CRASH_SEEDS=N runs N seeds instead.
int Seeds() {
  const char* seeds = std::getenv("APOGEE_CRASH_SEEDS");
  return seeds == nullptr ? 60 : std::atoi(seeds);
}

INSTANTIATE_TEST_SUITE_P(Seeds, CrashTest, testing::Range(0, Seeds()));

}  // namespace
}  // namespace apogee
