#include "broker/topic_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "env/fake/manual_clock.h"
#include "env/fake/memory_file_system.h"

namespace apogee {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::SizeIs;

constexpr const char* kPath = "config/topics.json";

class TopicTableTest : public testing::Test {
 protected:
  TopicTableTest() { identity_.name = "broker-a"; }

  std::unique_ptr<TopicTable> Open(TopicTableOptions options = {}) {
    return std::make_unique<TopicTable>(options, identity_, MetadataFile(kPath, fs_, clock_),
                                        clock_);
  }
  static TopicConfig Topic(std::string name, std::int32_t queues = 4,
                           std::map<std::string, std::string> changes = {}) {
    TopicConfig config;
    config.name = std::move(name);
    config.read_queues = queues;
    config.write_queues = queues;
    config.attributes = std::move(changes);
    return config;
  }
  static Status Put(TopicTable& table, TopicConfig config) {
    bool changed = false;
    return table.Put(std::move(config), &changed);
  }

  ManualClock clock_;
  MemoryFileSystem fs_;
  BrokerIdentity identity_;
};

TEST_F(TopicTableTest, FreshBrokerHasTheSystemTopics) {
  struct Expected {
    const char* name;
    std::int32_t queues;
    std::int32_t perm;
  };
  // As Apache 5.5.0 was recorded registering them.
  const std::vector<Expected> expected = {
      {"TBW102", 8, 7},
      {"SELF_TEST_TOPIC", 1, 6},
      {"BenchmarkTest", 1024, 6},
      {"DefaultCluster", 16, 7},
      {"broker-a", 1, 7},
      {"OFFSET_MOVED_EVENT", 1, 6},
      {"SCHEDULE_TOPIC_XXXX", 18, 6},
      {"DefaultCluster_REPLY_TOPIC", 1, 6},
      {"rmq_sys_REVIVE_LOG_DefaultCluster", 8, 6},
      {"rmq_sys_SYNC_BROKER_MEMBER_broker-a", 1, 1},
      {"rmq_sys_wheel_timer", 1, 6},
      {"RMQ_SYS_TRANS_HALF_TOPIC", 1, 6},
      {"RMQ_SYS_TRANS_OP_HALF_TOPIC", 1, 6},
      {"RMQ_SYS_ROCKSDB_TRANS_HALF_TOPIC", 1, 6},
      {"RMQ_SYS_ROCKSDB_TRANS_OP_HALF_TOPIC", 1, 6},
  };
  const auto table = Open();
  EXPECT_THAT(table->All(nullptr), SizeIs(expected.size()));
  for (const Expected& topic : expected) {
    const TopicPtr found = table->Find(topic.name);
    ASSERT_NE(found, nullptr) << topic.name;
    EXPECT_EQ(found->read_queues, topic.queues) << topic.name;
    EXPECT_EQ(found->write_queues, topic.queues) << topic.name;
    EXPECT_EQ(found->perm, topic.perm) << topic.name;
    EXPECT_TRUE(table->IsSystem(topic.name)) << topic.name;
  }
}

TEST_F(TopicTableTest, SwitchesTakeTopicsAndPermissionsAway) {
  const auto table = Open(
      {.auto_create = false, .cluster_topic = false, .broker_topic = false, .trace_topic = true});
  EXPECT_EQ(table->Find("TBW102"), nullptr);
  EXPECT_EQ(table->Find("DefaultCluster")->perm, kPermInherit);
  EXPECT_EQ(table->Find("broker-a")->perm, kPermInherit);
  EXPECT_NE(table->Find("RMQ_SYS_TRACE_TOPIC"), nullptr);
}

TEST_F(TopicTableTest, ListsSystemTopicsThatAreOnlyNames) {
  const auto table = Open();
  EXPECT_THAT(table->SystemTopics(), Contains("TRANS_CHECK_MAX_TIME_TOPIC"));
  EXPECT_THAT(table->SystemTopics(), Contains("CHECKPOINT_TOPIC"));
  EXPECT_EQ(table->Find("CHECKPOINT_TOPIC"), nullptr);
}

TEST_F(TopicTableTest, ReadsBackWhatItPersisted) {
  DataVersion version;
  {
    const auto table = Open();
    TopicConfig config = Topic("T", 3, {{"+message.type", "FIFO"}});
    config.write_queues = 2;
    config.perm = kPermRead;
    config.order = true;
    config.multi_tag = true;
    config.sys_flag = 1;
    clock_.Advance(std::chrono::seconds(7));
    ASSERT_TRUE(Put(*table, config).ok());
    ASSERT_TRUE(table->Persist().ok());
    version = table->version();
  }
  const auto table = Open();
  const TopicPtr topic = table->Find("T");
  ASSERT_NE(topic, nullptr);
  EXPECT_EQ(topic->read_queues, 3);
  EXPECT_EQ(topic->write_queues, 2);
  EXPECT_EQ(topic->perm, kPermRead);
  EXPECT_TRUE(topic->order);
  EXPECT_TRUE(topic->multi_tag);
  EXPECT_EQ(topic->sys_flag, 1);
  EXPECT_THAT(topic->attributes, ElementsAre(std::pair("message.type", "FIFO")));
  EXPECT_EQ(table->version(), version) << "a restart alone is no new version";
}

TEST_F(TopicTableTest, DamagedFileFallsBackToTheGenerationBefore) {
  {
    const auto table = Open();
    ASSERT_TRUE(Put(*table, Topic("old")).ok());
    ASSERT_TRUE(table->Persist().ok());
    ASSERT_TRUE(Put(*table, Topic("new")).ok());
    ASSERT_TRUE(table->Persist().ok());
  }
  const std::string whole = fs_.ReadFile(kPath).value();
  ASSERT_TRUE(fs_.Remove(kPath).ok());
  ASSERT_TRUE(fs_.WriteFile(kPath, whole.substr(0, whole.size() / 2)).ok());
  {
    const auto table = Open();
    EXPECT_NE(table->Find("old"), nullptr);
    EXPECT_EQ(table->Find("new"), nullptr);
    ASSERT_TRUE(table->Persist().ok());
  }
  EXPECT_NE(Open()->Find("old"), nullptr);
}

TEST_F(TopicTableTest, TemplateFollowsTheSwitchNotTheFile) {
  ASSERT_TRUE(Open({.default_queues = 8})->Persist().ok());
  const auto table = Open({.default_queues = 32});
  EXPECT_EQ(table->Find("TBW102")->write_queues, 32);
}

TEST_F(TopicTableTest, InheritsTheSmallerQueueCountAndNeverANegativeOne) {
  const auto table = Open({.default_queues = 32});
  const auto queues = [&](const char* topic, std::int32_t wanted) {
    bool created = false;
    const TopicPtr made = table->FindOrInherit(topic, "TBW102", wanted, 0, &created);
    EXPECT_TRUE(created);
    EXPECT_EQ(made->read_queues, made->write_queues);
    EXPECT_EQ(made->perm, kPermRead | kPermWrite);
    return made->write_queues;
  };
  EXPECT_EQ(queues("four", 4), 4);
  EXPECT_EQ(queues("many", 64), 32);
  EXPECT_EQ(queues("none", 0), 0);
  EXPECT_EQ(queues("negative", -5), 0);
}

TEST_F(TopicTableTest, InheritsOnlyFromAnInheritableTopic) {
  const auto table = Open();
  ASSERT_TRUE(Put(*table, Topic("plain")).ok());
  EXPECT_EQ(table->FindOrInherit("T", "plain", 4, 0), nullptr);
  EXPECT_EQ(table->FindOrInherit("T", "unknown", 4, 0), nullptr);
  EXPECT_EQ(table->FindOrInherit("T", "broker-a", 4, 0)->write_queues, 1);
}

TEST_F(TopicTableTest, SwitchedOffAutoCreationHoldsThoughTheFileKnowsTheTemplate) {
  ASSERT_TRUE(Open({.auto_create = true})->Persist().ok());
  const auto table = Open({.auto_create = false});
  EXPECT_EQ(table->FindOrInherit("T", "TBW102", 4, 0), nullptr);
}

TEST_F(TopicTableTest, ExistingTopicIsFoundWhateverTheTemplate) {
  const auto table = Open();
  ASSERT_TRUE(Put(*table, Topic("T", 2)).ok());
  bool created = false;
  EXPECT_EQ(table->FindOrInherit("T", "unknown", 16, 0, &created)->write_queues, 2);
  EXPECT_FALSE(created);
}

TEST_F(TopicTableTest, TellsOfChangesOnceEach) {
  const auto table = Open();
  std::vector<std::string> told;
  table->SetChangeListener([&](const std::vector<TopicPtr>& changed) {
    told.push_back(changed.empty() ? "deletion" : changed.front()->name);
  });
  bool changed = false;
  ASSERT_TRUE(table->Put(Topic("T"), &changed).ok());
  EXPECT_TRUE(changed);
  const DataVersion version = table->version();
  ASSERT_TRUE(table->Put(Topic("T"), &changed).ok());
  EXPECT_FALSE(changed);
  EXPECT_EQ(table->version(), version);
  EXPECT_TRUE(table->Remove("T"));
  EXPECT_FALSE(table->Remove("T"));
  table->FindOrCreate("%RETRY%g", 1, 6, 0);
  table->FindOrCreate("%RETRY%g", 1, 6, 0);
  EXPECT_THAT(told, ElementsAre("T", "deletion", "%RETRY%g"));
  EXPECT_EQ(table->version().counter, version.counter + 2);
}

TEST_F(TopicTableTest, ListIsTakenWholeOrNotAtAll) {
  const auto table = Open();
  EXPECT_FALSE(table->PutAll({Topic("a"), Topic("b", 1, {{"+no.such", "1"}})}).ok());
  EXPECT_EQ(table->Find("a"), nullptr);
  ASSERT_TRUE(table->PutAll({Topic("a"), Topic("b")}).ok());
  EXPECT_NE(table->Find("a"), nullptr);
  EXPECT_NE(table->Find("b"), nullptr);
}

}  // namespace
}  // namespace apogee
