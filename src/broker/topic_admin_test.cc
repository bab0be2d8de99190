#include "broker/topic_admin.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "broker/consumer_positions.h"
#include "broker/fake/broker_parts.h"

namespace apogee {
namespace {

using testing::HasSubstr;

class TopicAdminTest : public testing::Test {
 protected:
  static TopicConfig Topic(std::string name, std::int32_t queues = 1) {
    TopicConfig config;
    config.name = std::move(name);
    config.read_queues = queues;
    config.write_queues = queues;
    return config;
  }
  void Store(const char* topic) {
    RecordFields record;
    record.topic = topic;
    record.body = "x";
    record.born_host = record.store_host = parts_.identity.store_host;
    ASSERT_TRUE(parts_.store.Append(std::span(&record, 1)).ok());
  }

  BrokerParts parts_;
  TopicAdmin admin_{parts_.topics, parts_.groups, parts_.offsets, parts_.locks, parts_.store};
};

TEST_F(TopicAdminTest, RefusesBadAndSystemNames) {
  const auto refused = [&](const std::string& name, const std::string& text) {
    const Status status = admin_.Update(Topic(name));
    ASSERT_FALSE(status.ok()) << name;
    EXPECT_EQ(status.error().code(), ErrorCode::kInvalidArgument);
    EXPECT_EQ(status.error().message(), text);
    EXPECT_FALSE(admin_.UpdateAll({Topic("good"), Topic(name)}).ok());
    EXPECT_EQ(parts_.topics.Find("good"), nullptr);
  };
  refused("", "The specified topic is blank.");
  refused("bad name!",
          "The specified topic: bad name!, contains illegal characters, allowing only "
          "^[%|a-zA-Z0-9_-]+$");
  refused("TBW102", "The topic[TBW102] is conflict with system topic.");
  refused("rmq_sys_foo", "The topic[rmq_sys_foo] is conflict with system topic.");
  refused("broker-a", "The topic[broker-a] is conflict with system topic.");
  EXPECT_TRUE(admin_.Update(Topic(std::string(127, 't'))).ok());
  EXPECT_FALSE(admin_.Update(Topic(std::string(128, 't'))).ok());
}

TEST_F(TopicAdminTest, RefusesQueueCountsNobodyCanAnswerFor) {
  EXPECT_TRUE(admin_.Update(Topic("zero", 0)).ok());
  EXPECT_TRUE(admin_.Update(Topic("negative", -1)).ok());
  EXPECT_FALSE(admin_.Update(Topic("huge", 2'000'000'000)).ok());
}

TEST_F(TopicAdminTest, AttributeErrorsAreOfAnotherKind) {
  TopicConfig config = Topic("T");
  config.attributes = {{"+message.type", "MIXED"}};
  EXPECT_EQ(admin_.Update(config).error().code(), ErrorCode::kInvalidArgument);
  config.attributes = {{"+no.such", "1"}};
  EXPECT_EQ(admin_.Update(config).error().code(), ErrorCode::kUnsupported);
}

TEST_F(TopicAdminTest, DeletionTakesEverythingAndSurvivesACrash) {
  ASSERT_TRUE(admin_.Update(Topic("T")).ok());
  Store("T");
  parts_.groups.FindOrCreate("g");
  parts_.offsets.Commit("g", "T", 0, 1);
  parts_.offsets.Commit("g", "U", 0, 1);
  ASSERT_TRUE(parts_.offsets.Persist().ok());
  parts_.locks.Lock("g", "a", {{"T", 0}});

  ASSERT_TRUE(admin_.Delete("T").ok());
  EXPECT_EQ(parts_.topics.Find("T"), nullptr);
  EXPECT_FALSE(parts_.store.Range({"T", 0}).has_value());
  EXPECT_FALSE(parts_.locks.AnyHeld("g"));
  EXPECT_EQ(parts_.offsets.Find("g", "T", 0), std::nullopt);

  const ConsumerOffsets reread(
      MetadataFile("config/consumerOffset.json", parts_.files, parts_.clock), parts_.clock);
  EXPECT_EQ(reread.Find("g", "T", 0), std::nullopt);
  EXPECT_EQ(reread.Find("g", "U", 0), 1);
}

TEST_F(TopicAdminTest, TopicCreatedAnewStartsFromNothing) {
  const ConsumerPositions positions(parts_.offsets, parts_.topics, parts_.groups, parts_.store);
  parts_.groups.FindOrCreate("g");
  ASSERT_TRUE(admin_.Update(Topic("T")).ok());
  for (int i = 0; i < 20; ++i) Store("T");
  parts_.offsets.Commit("g", "T", 0, 20);
  ASSERT_TRUE(admin_.Delete("T").ok());
  ASSERT_TRUE(admin_.Update(Topic("T")).ok());
  Store("T");
  EXPECT_EQ(positions.Query("g", "T", 0, true).value(), 0);
  EXPECT_EQ(parts_.store.Range({"T", 0})->max, QueueOffset(1));
}

TEST_F(TopicAdminTest, DeletingNothingIsFineAndSystemTopicsStay) {
  EXPECT_TRUE(admin_.Delete("NoSuchTopic").ok());
  EXPECT_EQ(admin_.Delete("").error().message(), "The specified topic is blank.");
  EXPECT_THAT(admin_.Delete("TBW102").error().message(), HasSubstr("conflict with system topic"));
  EXPECT_NE(parts_.topics.Find("TBW102"), nullptr);
}

TEST_F(TopicAdminTest, GroupIsDeletedWithOrWithoutItsPositions) {
  parts_.groups.FindOrCreate("g");
  parts_.offsets.Commit("g", "T", 0, 1);
  ASSERT_TRUE(admin_.DeleteGroup("g", false).ok());
  EXPECT_EQ(parts_.groups.Find("g"), nullptr);
  EXPECT_EQ(parts_.offsets.Find("g", "T", 0), 1);
  ASSERT_TRUE(admin_.DeleteGroup("g", true).ok());
  EXPECT_EQ(parts_.offsets.Find("g", "T", 0), std::nullopt);
}

// For the thread sanitizer: everything that looks at a topic while it comes and goes.
TEST_F(TopicAdminTest, TopicComesAndGoesWhileOthersLook) {
  constexpr int kRounds = 200;
  parts_.groups.FindOrCreate("g");
  ConsumerPositions positions(parts_.offsets, parts_.topics, parts_.groups, parts_.store);
  std::atomic<bool> done{false};
  std::vector<std::jthread> others;
  others.emplace_back([&] {
    while (!done) positions.Commit("g", "T", 0, 5);
  });
  others.emplace_back([&] {
    while (!done) {
      const TopicPtr topic = parts_.topics.Find("T");
      EXPECT_TRUE(topic == nullptr || topic->name == "T");
      parts_.topics.FindOrInherit("U", "TBW102", 4, 0);
      parts_.topics.Remove("U");
    }
  });
  others.emplace_back([&] {
    while (!done) {
      static_cast<void>(parts_.topics.Persist());
      static_cast<void>(parts_.offsets.Persist());
      parts_.locks.Lock("g", "a", {{"T", 0}});
    }
  });
  others.emplace_back([&] {
    while (!done) parts_.topics.SetChangeListener([](const std::vector<TopicPtr>&) {});
  });
  for (int i = 0; i < kRounds; ++i) {
    ASSERT_TRUE(admin_.Update(Topic("T")).ok());
    ASSERT_TRUE(admin_.Delete("T").ok());
  }
  done = true;
  others.clear();
  EXPECT_EQ(parts_.topics.Find("T"), nullptr);
  EXPECT_EQ(parts_.offsets.Find("g", "T", 0), std::nullopt)
      << "a commit that raced with the deletion must not stay";
}

}  // namespace
}  // namespace apogee
