#include <gmock/gmock.h>

#include "base/bytes.h"
#include "base/java_hash.h"
#include "store/checkpoint.h"
#include "store/fake/store_fixture.h"

namespace apogee {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> Numbered(int from, int to) {
  std::vector<std::string> bodies;
  for (int i = from; i < to; ++i) bodies.push_back("body-" + std::to_string(i));
  return bodies;
}

class ApacheStoreTest : public StoreTest {
 protected:
  void AppendNumbered(std::string_view topic, int queue, int from, int to) {
    for (const std::string& body : Numbered(from, to)) Append(topic, queue, body);
  }
};

TEST_F(ApacheStoreTest, AMessageIsReadBackThroughItsQueue) {
  Open();
  const Appended first = Append("T", 1, "a");
  const Appended second = Append("T", 1, "b");
  Append("T", 0, "c");
  EXPECT_EQ(first.queue_offset, QueueOffset(0));
  EXPECT_EQ(second.queue_offset, QueueOffset(1));
  EXPECT_EQ(second.log_offset, first.end);
  EXPECT_THAT(Bodies("T", 1), ElementsAre("a", "b"));
  EXPECT_THAT(Bodies("T", 0), ElementsAre("c"));
  EXPECT_EQ(store_->Range({"T", 7}), std::nullopt);
  EXPECT_EQ(store_->ReadAt(second.log_offset)->bytes.size(),
            static_cast<std::size_t>(second.end - second.log_offset));
  EXPECT_EQ(store_->ReadAt(second.log_offset + 1).error().code(), ErrorCode::kNotFound);
  EXPECT_EQ(store_->ReadAt(second.end + 1'000'000).error().code(), ErrorCode::kNotFound);
}

TEST_F(ApacheStoreTest, TheBytesOnDiskAreApaches) {
  Open();
  std::string properties;
  AppendProperty(properties, "TAGS", "TagA");
  const RecordFields fields = Message("Orders", 3, "hello", properties);
  ASSERT_TRUE(store_->Append({&fields, 1}).ok());
  Append("Orders", 3, "second");
  ASSERT_TRUE(store_->Close().ok());

  std::string expected(static_cast<std::size_t>(*EncodedRecordBytes(fields)), '\0');
  EncodeRecord(fields, QueueOffset(0), LogOffset(0), clock_.WallMs(), expected.data());
  const std::string log = ReadWhole(LogFile(0));
  EXPECT_EQ(log.size(), static_cast<std::size_t>(kSegmentBytes));
  EXPECT_EQ(log.substr(0, expected.size()), expected);

  const std::string queue = ReadWhole(QueueFile("Orders", 3, 0));
  ASSERT_EQ(queue.size(), static_cast<std::size_t>(kQueueFileBytes));
  EXPECT_EQ(LoadBigEndian<std::int64_t>(queue.data()), 0);
  EXPECT_EQ(LoadBigEndian<std::int32_t>(queue.data() + 8),
            static_cast<std::int32_t>(expected.size()));
  EXPECT_EQ(LoadBigEndian<std::int64_t>(queue.data() + 12), JavaStringHash("TagA"));
  EXPECT_EQ(LoadBigEndian<std::int64_t>(queue.data() + 20),
            static_cast<std::int64_t>(expected.size()));
  EXPECT_EQ(queue.substr(40), std::string(kQueueFileBytes - 40, '\0'));

  const std::string checkpoint = ReadWhole(root_ + "/checkpoint");
  ASSERT_EQ(checkpoint.size(), 4096U);
  EXPECT_EQ(LoadBigEndian<std::int64_t>(checkpoint.data()), clock_.WallMs());
  EXPECT_EQ(LoadBigEndian<std::int64_t>(checkpoint.data() + 8), clock_.WallMs());
  EXPECT_EQ(LoadBigEndian<std::int64_t>(checkpoint.data() + 40),
            static_cast<std::int64_t>(expected.size()));
  EXPECT_FALSE(std::filesystem::exists(root_ + "/abort"));
}

TEST_F(ApacheStoreTest, AFullFileEndsInABlankAndTheRecordBeginsTheNext) {
  Open();
  const std::string body(30'000, 'x');
  Append("T", 0, body);
  const Appended second = Append("T", 0, body);
  const Appended third = Append("T", 0, body);
  EXPECT_EQ(third.log_offset, LogOffset(kSegmentBytes));
  const std::string log = ReadWhole(LogFile(0));
  const char* blank = log.data() + second.end.value();
  EXPECT_EQ(LoadBigEndian<std::int32_t>(blank), kSegmentBytes - second.end.value());
  EXPECT_EQ(LoadBigEndian<std::uint32_t>(blank + 4), 0xCBD43194U);
  EXPECT_EQ(Bodies("T", 0).size(), 3U);
  CloseAndReopen();
  EXPECT_EQ(Bodies("T", 0).size(), 3U);
  EXPECT_EQ(store_->tail(), third.end);
}

TEST_F(ApacheStoreTest, ABatchThatDoesNotFitGoesWholeToTheNextFile) {
  Open();
  Append("T", 0, std::string(40'000, 'x'));
  const std::string body(10'000, 'y');
  const std::vector<RecordFields> batch(3, Message("T", 0, body));
  const auto appended = store_->Append(batch);
  ASSERT_TRUE(appended.ok());
  EXPECT_EQ(appended->log_offset, LogOffset(kSegmentBytes));
  EXPECT_EQ(appended->queue_offset, QueueOffset(1));
  ASSERT_EQ(appended->more_offsets.size(), 2U);
  const std::int64_t size = appended->more_offsets[0] - appended->log_offset;
  EXPECT_EQ(appended->more_offsets[1] - appended->more_offsets[0], size);
  EXPECT_EQ(appended->end - appended->more_offsets[1], size);
  EXPECT_EQ(Bodies("T", 0).size(), 4U);
}

TEST_F(ApacheStoreTest, WhatIsTooLongIsRefusedAndNothingIsWritten) {
  Open();
  const std::string body(static_cast<std::size_t>(kSegmentBytes), 'x');
  for (const RecordFields& fields : {Message("T", 0, body), Message(std::string(300, 't'), 0, "x"),
                                     Message("a/b", 0, "x"), Message("..", 0, "x")}) {
    const auto appended = store_->Append({&fields, 1});
    ASSERT_FALSE(appended.ok());
    EXPECT_EQ(appended.error().code(), ErrorCode::kInvalidArgument);
  }
  EXPECT_EQ(store_->tail(), LogOffset(0));
  EXPECT_THAT(store_->Queues(), IsEmpty());
}

TEST_F(ApacheStoreTest, HalfMessagesTakeNoPlaceInTheirQueue) {
  Open();
  RecordFields half = Message("T", 0, "half");
  half.sys_flag = 0x4;
  const auto appended = store_->Append({&half, 1});
  ASSERT_TRUE(appended.ok());
  EXPECT_EQ(appended->queue_offset, QueueOffset(0));
  EXPECT_EQ(store_->Range({"T", 0}), std::nullopt);
  Append("T", 0, "whole");
  EXPECT_THAT(Bodies("T", 0), ElementsAre("whole"));
}

TEST_F(ApacheStoreTest, ADelayedMessagesTagCodeIsItsDeliveryTime) {
  Open();
  std::string properties;
  AppendProperty(properties, "DELAY", "3");
  Append("SCHEDULE_TOPIC_XXXX", 2, "later", properties);
  std::vector<QueueEntry> entries;
  ASSERT_TRUE(store_->ReadEntries({"SCHEDULE_TOPIC_XXXX", 2}, QueueOffset(0), 1, &entries).ok());
  ASSERT_EQ(entries.size(), 1U);
  EXPECT_EQ(entries[0].tag_code, clock_.WallMs() + 10'000);
}

TEST_F(ApacheStoreTest, EntriesAreReadFromFileAndMemoryAlike) {
  Open();
  AppendNumbered("T", 0, 0, 250);
  Advance(20'000);
  workers_.RunOnce("flush");
  workers_.RunOnce("queues");  // All 250 are in three files now.
  AppendNumbered("T", 0, 250, 270);
  EXPECT_EQ(Bodies("T", 0), Numbered(0, 270));
  std::vector<QueueEntry> entries;
  ASSERT_TRUE(store_->ReadEntries({"T", 0}, QueueOffset(245), 10, &entries).ok());
  EXPECT_EQ(entries.size(), 10U);
  entries.clear();
  ASSERT_TRUE(store_->ReadEntries({"T", 0}, QueueOffset(265), 32, &entries).ok());
  EXPECT_EQ(entries.size(), 5U);
}

TEST_F(ApacheStoreTest, ACleanStopLeavesEverythingForTheNextStart) {
  Open();
  AppendNumbered("T", 0, 0, 1000);
  AppendNumbered("U", 3, 0, 7);
  const LogOffset tail = store_->tail();
  CloseAndReopen();
  EXPECT_EQ(store_->tail(), tail);
  EXPECT_EQ(Bodies("T", 0), Numbered(0, 1000));
  EXPECT_EQ(Bodies("U", 3), Numbered(0, 7));
  EXPECT_EQ(Append("T", 0, "next").queue_offset, QueueOffset(1000));
}

TEST_F(ApacheStoreTest, AProcessCrashLosesNothing) {
  Open();
  AppendNumbered("T", 0, 0, 150);
  Advance(20'000);
  workers_.RunAll();
  AppendNumbered("T", 0, 150, 700);
  AppendNumbered("New", 1, 0, 3);
  const LogOffset tail = store_->tail();
  Crash();
  EXPECT_TRUE(std::filesystem::exists(root_ + "/abort"));
  Open();
  EXPECT_EQ(store_->tail(), tail);
  EXPECT_EQ(Bodies("T", 0), Numbered(0, 700));
  EXPECT_EQ(Bodies("New", 1), Numbered(0, 3));
  EXPECT_EQ(Append("T", 0, "next").queue_offset, QueueOffset(700));
  CloseAndReopen();
  EXPECT_EQ(Bodies("T", 0).size(), 701U);
}

TEST_F(ApacheStoreTest, ATornRecordIsCutAndWhatLiesBehindItCleared) {
  Open();
  AppendNumbered("T", 0, 0, 10);
  const Appended torn = Append("T", 0, "torn");
  const Appended behind = Append("U", 0, "behind");
  Advance(20'000);
  workers_.RunOnce("flush");
  workers_.RunOnce("queues");  // Both have their units in the files.
  Crash();
  WriteAt(LogFile(0), torn.log_offset.value() + 90, std::string(2, 'Z'));
  std::filesystem::remove(root_ + "/checkpoint");  // It vouches for what was not synced here.
  Open();
  EXPECT_EQ(store_->tail(), torn.log_offset);
  EXPECT_EQ(Bodies("T", 0), Numbered(0, 10));
  EXPECT_THAT(Bodies("U", 0), IsEmpty());
  const std::string log = ReadWhole(LogFile(0));
  EXPECT_EQ(log.find_first_not_of('\0', static_cast<std::size_t>(torn.log_offset.value())),
            std::string::npos);
  // The same size again: the stale record must not come back behind it.
  Append("T", 0, "new1");
  Crash();
  Open();
  EXPECT_EQ(store_->tail(), torn.end);
  EXPECT_NE(store_->tail(), behind.end);
  EXPECT_EQ(Bodies("T", 0).back(), "new1");
  const std::string units = ReadWhole(QueueFile("T", 0, 0));
  EXPECT_EQ(LoadBigEndian<std::int32_t>(units.data() + 11 * 20 + 8), 0);
}

TEST_F(ApacheStoreTest, MissingQueueFoldersAreRebuiltFromTheLog) {
  Open();
  AppendNumbered("T", 0, 0, 500);
  AppendNumbered("U", 1, 0, 20);
  ASSERT_TRUE(store_->Close().ok());
  store_.reset();
  std::filesystem::remove_all(root_ + "/consumequeue");
  Open();
  EXPECT_EQ(Bodies("T", 0), Numbered(0, 500));
  EXPECT_EQ(Bodies("U", 1), Numbered(0, 20));
}

TEST_F(ApacheStoreTest, ADamagedQueueIsRebuiltAndTheOthersStay) {
  Open();
  AppendNumbered("T", 0, 0, 500);
  AppendNumbered("U", 1, 0, 20);
  AppendNumbered("V", 1, 0, 20);
  ASSERT_TRUE(store_->Close().ok());
  store_.reset();
  std::filesystem::resize_file(QueueFile("U", 1, 0), 100);
  std::filesystem::resize_file(QueueFile("V", 1, 0), 0);
  std::filesystem::remove(QueueFile("T", 0, 2000));
  Open();
  EXPECT_EQ(Bodies("T", 0), Numbered(0, 500));
  EXPECT_EQ(Bodies("U", 1), Numbered(0, 20));
  EXPECT_EQ(Bodies("V", 1), Numbered(0, 20));
}

TEST_F(ApacheStoreTest, AnEmptiedQueueIsRebuilt) {
  Open();
  AppendNumbered("T", 0, 0, 50);
  AppendNumbered("U", 1, 0, 20);
  ASSERT_TRUE(store_->Close().ok());
  store_.reset();
  WriteAt(QueueFile("T", 0, 0), 0, std::string(kQueueFileBytes, '\0'));
  Open();
  EXPECT_EQ(Bodies("T", 0), Numbered(0, 50));
}

TEST_F(ApacheStoreTest, UnitsThatNameOtherRecordsAreCleared) {
  Open();
  AppendNumbered("T", 0, 0, 5);
  const Appended other = Append("U", 0, "of another queue");
  AppendNumbered("V", 0, 0, 5);
  ASSERT_TRUE(store_->Close().ok());
  store_.reset();
  std::string stale(20, '\0');
  StoreBigEndian<std::int64_t>(stale.data(), other.log_offset.value());
  StoreBigEndian<std::int32_t>(stale.data() + 8, 100);
  WriteAt(QueueFile("T", 0, 0), 5 * 20, stale);
  Open();
  EXPECT_EQ(Bodies("T", 0), Numbered(0, 5));
  ASSERT_TRUE(store_->Close().ok());
  EXPECT_EQ(ReadWhole(QueueFile("T", 0, 0)).substr(100, 20), std::string(20, '\0'));
}

TEST_F(ApacheStoreTest, ADeletedTopicIsGoneAndBeginsAnew) {
  Open();
  AppendNumbered("T", 0, 0, 100);
  AppendNumbered("U", 0, 0, 3);
  ASSERT_TRUE(store_->DeleteTopic("T").ok());
  EXPECT_EQ(store_->Range({"T", 0}), std::nullopt);
  EXPECT_FALSE(std::filesystem::exists(root_ + "/consumequeue/T"));
  Crash();
  Open();
  EXPECT_EQ(store_->Queues(), (std::vector<QueueId>{{"U", 0}}));
  EXPECT_EQ(*store_->OffsetByTime({"T", 0}, 0, TimeBoundary::kLower), QueueOffset(0));
  EXPECT_EQ(store_->Queues(), (std::vector<QueueId>{{"U", 0}}));
  EXPECT_EQ(Append("T", 0, "body-0").queue_offset, QueueOffset(0));
  EXPECT_EQ(Bodies("T", 0), Numbered(0, 1));
  Crash();
  Open();
  EXPECT_EQ(Bodies("T", 0), Numbered(0, 1));
  EXPECT_FALSE(store_->DeleteTopic("..").ok());
  EXPECT_TRUE(std::filesystem::exists(root_ + "/commitlog"));
}

TEST_F(ApacheStoreTest, TimeSearchFindsBoundariesNotNeighbours) {
  Open();
  const std::int64_t t1 = clock_.WallMs();
  const std::int64_t t2 = t1 + 10;
  const std::int64_t t5 = t1 + 20;
  for (const std::int64_t time : {t1, t2, t2, t2, t5}) {
    clock_.SetWallMs(time);
    Append("T", 0, "x");
  }
  struct Case {
    std::int64_t time, lower, upper;
  };
  for (const auto& [time, lower, upper] :
       {Case{t1 - 1, 0, 0}, Case{t1, 0, 0}, Case{t2, 1, 3}, Case{t2 + 5, 4, 3}, Case{t5, 4, 4},
        Case{t5 + 1, 5, 4}}) {
    EXPECT_EQ(store_->OffsetByTime({"T", 0}, time, TimeBoundary::kLower)->value(), lower)
        << time - t1;
    EXPECT_EQ(store_->OffsetByTime({"T", 0}, time, TimeBoundary::kUpper)->value(), upper)
        << time - t1;
  }
  EXPECT_EQ(store_->StoreTimeAt({"T", 0}, QueueOffset(4)), t5);
  EXPECT_EQ(store_->StoreTimeAt({"T", 0}, QueueOffset(5)), -1);
  EXPECT_EQ(store_->GetUsage().earliest_store_time_ms, t1);
}

TEST_F(ApacheStoreTest, AForeignOrWrongSizedLogFileRefusesTheStartAndChangesNothing) {
  Open();
  AppendNumbered("T", 0, 0, 1000);
  ASSERT_TRUE(store_->Close().ok());
  store_.reset();
  const auto refused = [&](std::string_view text) {
    const auto before = Snapshot(root_);
    const auto store = MessageStore::Open(Options(), fs_, clock_, workers_);
    ASSERT_FALSE(store.ok());
    EXPECT_THAT(store.error().message(), HasSubstr(text));
    EXPECT_EQ(Snapshot(root_), before);
  };
  std::ofstream(root_ + "/commitlog/notes.txt") << "x";
  refused("notes.txt");
  std::filesystem::remove(root_ + "/commitlog/notes.txt");
  std::filesystem::resize_file(LogFile(kSegmentBytes), kSegmentBytes - 1);
  refused("65535");
  std::filesystem::resize_file(LogFile(kSegmentBytes), kSegmentBytes);
  std::filesystem::create_directory(root_ + "/commitlog/folder");
  std::ofstream(root_ + "/strange") << "x";
  std::ofstream(LogFile(2 * kSegmentBytes)) << "";
  Open();
  EXPECT_EQ(Bodies("T", 0).size(), 1000U);
}

TEST_F(ApacheStoreTest, ASecondOpenOfTheSameStoreIsRefused) {
  Open();
  const auto second = MessageStore::Open(Options(), SystemFileSystem(), clock_, workers_);
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().code(), ErrorCode::kUnavailable);
}

TEST_F(ApacheStoreTest, AFullDiskRefusesTheAppendThatNeedsANewFile) {
  Open();
  fs_.disk_full = true;
  const std::string body(30'000, 'x');
  Append("T", 0, body);
  Append("T", 0, body);
  const RecordFields fields = Message("T", 0, body);
  const auto refused = store_->Append({&fields, 1});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code(), ErrorCode::kDiskFull);
  EXPECT_EQ(Bodies("T", 0).size(), 2U);
  fs_.disk_full = false;
  EXPECT_EQ(Append("T", 0, body).queue_offset, QueueOffset(2));
}

TEST_F(ApacheStoreTest, AppendsAfterCloseAreRefusedAndReadsGoOn) {
  Open();
  Append("T", 0, "a");
  ASSERT_TRUE(store_->Close().ok());
  const RecordFields fields = Message("T", 0, "b");
  const auto refused = store_->Append({&fields, 1});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code(), ErrorCode::kUnavailable);
  EXPECT_THAT(Bodies("T", 0), ElementsAre("a"));
  EXPECT_TRUE(store_->Close().ok());
}

struct Arrivals final : ArrivalListener {
  void OnArrival(const QueueRef& queue, QueueOffset next, std::int64_t tag_code) override {
    seen.push_back(std::string(queue.topic) + "/" + std::to_string(queue.queue) + ":" +
                   std::to_string(next.value()) + ":" + std::to_string(tag_code));
  }
  std::vector<std::string> seen;
};

TEST_F(ApacheStoreTest, TheListenerHearsOfEachMessage) {
  Open();
  Arrivals arrivals;
  store_->SetArrivalListener(&arrivals);
  std::string properties;
  AppendProperty(properties, "TAGS", "a");
  const RecordFields tagged = Message("T", 0, "x", properties);
  const std::vector<RecordFields> batch{tagged, Message("T", 0, "y")};
  ASSERT_TRUE(store_->Append(batch).ok());
  EXPECT_THAT(arrivals.seen, ElementsAre("T/0:1:97", "T/0:2:0"));
}

class SyncFlushTest : public ApacheStoreTest {
 protected:
  SyncFlushTest() { mode_ = FlushMode::kSync; }
  std::vector<Durability> reached_;
  void Await(LogOffset end) {
    store_->AwaitFlushed(end, [this](Durability durability) { reached_.push_back(durability); });
  }
};

TEST_F(SyncFlushTest, OneSyncServesAllWhoWait) {
  Open();
  Arrivals arrivals;
  store_->SetArrivalListener(&arrivals);
  for (int i = 0; i < 10; ++i) Await(Append("T", 0, "x").end);
  EXPECT_THAT(reached_, IsEmpty());
  EXPECT_THAT(arrivals.seen, IsEmpty());
  EXPECT_EQ(store_->Range({"T", 0})->max, QueueOffset(0));
  const int before = fs_.map_syncs;
  workers_.RunOnce("flush");
  EXPECT_EQ(fs_.map_syncs - before, 1);
  EXPECT_EQ(reached_, std::vector<Durability>(10, Durability::kFlushed));
  EXPECT_EQ(arrivals.seen.size(), 10U);
  EXPECT_EQ(store_->Range({"T", 0})->max, QueueOffset(10));
  EXPECT_EQ(store_->committed(), store_->tail());
  Await(store_->tail());
  EXPECT_EQ(reached_.size(), 11U);
}

TEST_F(SyncFlushTest, AFlushAcrossARollSyncsBothFiles) {
  Open();
  Append("T", 0, std::string(60'000, 'x'));
  Await(Append("T", 0, std::string(60'000, 'y')).end);
  const int before = fs_.map_syncs;
  workers_.RunOnce("flush");
  EXPECT_EQ(fs_.map_syncs - before, 2);
  EXPECT_THAT(reached_, ElementsAre(Durability::kFlushed));
}

TEST_F(SyncFlushTest, AFailedSyncIsFinal) {
  Open();
  Await(Append("T", 0, "durable").end);
  workers_.RunOnce("flush");
  Await(Append("T", 0, "lost").end);
  fs_.fail_syncs = true;
  workers_.RunOnce("flush");
  EXPECT_THAT(reached_, ElementsAre(Durability::kFlushed, Durability::kFailed));
  fs_.fail_syncs = false;
  const int before = fs_.map_syncs;
  const RecordFields fields = Message("T", 0, "later");
  const auto refused = store_->Append({&fields, 1});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code(), ErrorCode::kIo);
  EXPECT_THAT(refused.error().message(), HasSubstr("flush error"));
  workers_.RunAll();
  EXPECT_EQ(fs_.map_syncs, before);
  EXPECT_THAT(Bodies("T", 0), ElementsAre("durable"));
  EXPECT_FALSE(store_->Close().ok());
  EXPECT_TRUE(std::filesystem::exists(root_ + "/abort"));
}

TEST_F(SyncFlushTest, AWaitHasADeadline) {
  Open();
  Await(Append("T", 0, "x").end);
  Advance(4'999);
  workers_.RunOnce("flush-timeout");
  EXPECT_THAT(reached_, IsEmpty());
  Advance(2);
  workers_.RunOnce("flush-timeout");
  EXPECT_THAT(reached_, ElementsAre(Durability::kFlushTimeout));
  workers_.RunOnce("flush");
  EXPECT_EQ(reached_.size(), 1U);
}

TEST_F(SyncFlushTest, WhoStillWaitsAtTheEndIsTold) {
  Open();
  Await(Append("T", 0, "x").end);
  ASSERT_TRUE(store_->Close().ok());
  EXPECT_THAT(reached_, ElementsAre(Durability::kFlushed));
  Open();
  Await(Append("T", 0, "x").end);
  Crash();
  EXPECT_EQ(reached_.back(), Durability::kFailed);
}

TEST_F(ApacheStoreTest, AsyncFlushesByPagesOrAfterTheThoroughInterval) {
  Open();
  Append("T", 0, "x");
  workers_.RunOnce("flush");
  EXPECT_EQ(store_->flushed(), LogOffset(0));
  Append("T", 0, std::string(20'000, 'x'));
  workers_.RunOnce("flush");
  EXPECT_EQ(store_->flushed(), store_->tail());
  Append("T", 0, "x");
  Advance(10'000);
  workers_.RunOnce("flush");
  EXPECT_EQ(store_->flushed(), store_->tail());
}

}  // namespace
}  // namespace apogee
