#include "broker/consumer_offsets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>

#include "broker/consumer_positions.h"
#include "broker/fake/broker_parts.h"

namespace apogee {
namespace {

using testing::UnorderedElementsAre;

constexpr const char* kPath = "config/consumerOffset.json";
constexpr const char* kBootFirst =
    "Not found, V3_0_6_SNAPSHOT maybe this group consumer boot first";
constexpr const char* kNotZero = "Not found, do not set to zero, maybe this group boot first";

class ConsumerOffsetsTest : public testing::Test {
 protected:
  std::unique_ptr<ConsumerOffsets> Open() {
    return std::make_unique<ConsumerOffsets>(MetadataFile(kPath, fs_, clock_), clock_);
  }

  ManualClock clock_;
  MemoryFileSystem fs_;
};

TEST_F(ConsumerOffsetsTest, KeepsTheLastCommitOfEachQueue) {
  const auto offsets = Open();
  EXPECT_EQ(offsets->Find("g", "T", 0), std::nullopt);
  offsets->Commit("g", "T", 0, 7);
  offsets->Commit("g", "T", 1, 3);
  offsets->Commit("h", "T", 0, 1);
  offsets->Commit("g", "T", 0, 5);  // Lower: taken.
  EXPECT_EQ(offsets->Find("g", "T", 0), 5);
  EXPECT_EQ(offsets->Find("g", "T", 1), 3);
  EXPECT_EQ(offsets->Find("h", "T", 0), 1);
}

TEST_F(ConsumerOffsetsTest, NegativeCommitChangesNothing) {
  const auto offsets = Open();
  offsets->Commit("g", "T", 0, -1);
  EXPECT_EQ(offsets->Find("g", "T", 0), std::nullopt);
  EXPECT_TRUE(offsets->ToJson()["offsetTable"].object().empty());
  offsets->Commit("g", "T", 0, 7);
  offsets->Commit("g", "T", 0, -1);
  EXPECT_EQ(offsets->Find("g", "T", 0), 7);
}

TEST_F(ConsumerOffsetsTest, ReadsBackWhatItPersisted) {
  {
    const auto offsets = Open();
    offsets->Commit("g", "%RETRY%g", 0, 2);
    offsets->Commit("g", "T", 12, std::int64_t{1} << 40);
    ASSERT_TRUE(offsets->Persist().ok());
  }
  const auto offsets = Open();
  EXPECT_EQ(offsets->Find("g", "%RETRY%g", 0), 2);
  EXPECT_EQ(offsets->Find("g", "T", 12), std::int64_t{1} << 40);
  EXPECT_THAT(offsets->TopicsOf("g"), UnorderedElementsAre("%RETRY%g", "T"));
  EXPECT_THAT(offsets->GroupsOf("T"), UnorderedElementsAre("g"));
}

TEST_F(ConsumerOffsetsTest, ReadsApachesBareQueueNumbers) {
  ASSERT_TRUE(fs_.MakeDirectory("config").ok());
  ASSERT_TRUE(fs_.WriteFile(kPath, "{\"offsetTable\":{\"T@g\":{0:4,1:5}}}").ok());
  EXPECT_EQ(Open()->Find("g", "T", 1), 5);
}

TEST_F(ConsumerOffsetsTest, DamagedFileFallsBackToTheGenerationBefore) {
  {
    const auto offsets = Open();
    offsets->Commit("g", "T", 0, 10);
    ASSERT_TRUE(offsets->Persist().ok());
    offsets->Commit("g", "T", 0, 20);
    ASSERT_TRUE(offsets->Persist().ok());
  }
  const std::string whole = fs_.ReadFile(kPath).value();
  ASSERT_TRUE(fs_.Remove(kPath).ok());
  ASSERT_TRUE(fs_.WriteFile(kPath, whole.substr(0, whole.size() / 2)).ok());
  const auto offsets = Open();
  EXPECT_EQ(offsets->Find("g", "T", 0), 10);
  // A crash during the next save leaves at least what the backup had.
  offsets->Commit("g", "T", 0, 11);
  fs_.FailSyncsAfter(0);
  EXPECT_FALSE(offsets->Persist().ok());
  fs_.HealSyncs();
  EXPECT_GE(Open()->Find("g", "T", 0).value_or(-1), 10);
}

TEST_F(ConsumerOffsetsTest, ForgetsATopicOrAGroup) {
  const auto offsets = Open();
  offsets->Commit("g", "T", 0, 1);
  offsets->Commit("g", "U", 0, 1);
  offsets->Commit("h", "T", 0, 1);
  offsets->RemoveTopic("T");
  EXPECT_EQ(offsets->Find("g", "T", 0), std::nullopt);
  EXPECT_EQ(offsets->Find("h", "T", 0), std::nullopt);
  EXPECT_EQ(offsets->Find("g", "U", 0), 1);
  offsets->RemoveGroup("g");
  EXPECT_EQ(offsets->Find("g", "U", 0), std::nullopt);
}

// The log lies beyond what counts as in memory.
class ColdStore : public MemoryStore {
 public:
  using MemoryStore::MemoryStore;
  bool InMemory(LogOffset) const override { return false; }
};

class ConsumerPositionsTest : public testing::Test {
 protected:
  ConsumerPositionsTest() {
    parts_.AddTopic("T", 1);
    Store(parts_.store);
  }

  static void Store(MemoryStore& store) {
    RecordFields record;
    record.topic = "T";
    record.body = "x";
    record.born_host = record.store_host = Host::Parse("127.0.0.1:10911").value();
    ASSERT_TRUE(store.Append(std::span(&record, 1)).ok());
  }
  // The answer in words.
  static std::string Ask(const ConsumerPositions& positions, bool zero_if_absent,
                         const char* topic = "T") {
    const auto offset = positions.Query("unknown", topic, 0, zero_if_absent);
    return offset.ok() ? std::to_string(*offset) : offset.error().message();
  }

  BrokerParts parts_;
  ConsumerPositions positions_{parts_.offsets, parts_.topics, parts_.groups, parts_.store};
};

TEST_F(ConsumerPositionsTest, GroupWithoutPositionStartsAtZeroOnlyInAYoungQueue) {
  EXPECT_EQ(Ask(positions_, true), "0");
  EXPECT_EQ(Ask(positions_, false), kNotZero);
  parts_.store.queues[{"T", 0}].min = 1;
  EXPECT_EQ(Ask(positions_, true), kBootFirst);
  EXPECT_EQ(Ask(positions_, false), kNotZero);
  EXPECT_EQ(Ask(positions_, true, "NoSuchTopic"), kBootFirst);
}

TEST_F(ConsumerPositionsTest, OldMessagesDoNotCountAsInMemory) {
  ColdStore cold(parts_.clock);
  Store(cold);
  const ConsumerPositions positions(parts_.offsets, parts_.topics, parts_.groups, cold);
  EXPECT_EQ(Ask(positions, true), kBootFirst);
  EXPECT_EQ(Ask(positions, false), kNotZero);
}

TEST_F(ConsumerPositionsTest, StoredPositionWins) {
  parts_.offsets.Commit("unknown", "T", 0, 9);
  EXPECT_EQ(Ask(positions_, true), "9");
  EXPECT_EQ(Ask(positions_, false), "9");
}

TEST_F(ConsumerPositionsTest, CommitsAreCheckedInApachesOrder) {
  using Outcome = ConsumerPositions::CommitOutcome;
  EXPECT_EQ(positions_.Commit("g", "NoSuchTopic", {}, {}), Outcome::kNoGroup);
  parts_.groups.FindOrCreate("g");
  EXPECT_EQ(positions_.Commit("g", "NoSuchTopic", {}, {}), Outcome::kNoTopic);
  EXPECT_EQ(positions_.Commit("g", "T", {}, {}), Outcome::kNoQueue);
  EXPECT_EQ(positions_.Commit("g", "T", 0, {}), Outcome::kNoOffset);
  EXPECT_EQ(positions_.Commit("g", "T", 77, 99'999), Outcome::kOk);
  EXPECT_EQ(parts_.offsets.Find("g", "T", 77), 99'999);
}

}  // namespace
}  // namespace apogee
