#include "broker/group_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "env/fake/manual_clock.h"
#include "env/fake/memory_file_system.h"

namespace apogee {
namespace {

constexpr const char* kPath = "config/subscriptionGroup.json";

class GroupTableTest : public testing::Test {
 protected:
  std::unique_ptr<GroupTable> Open(bool auto_create = true) {
    return std::make_unique<GroupTable>(auto_create, MetadataFile(kPath, fs_, clock_), clock_);
  }
  static GroupConfig Group(std::string name) {
    GroupConfig group;
    group.name = std::move(name);
    return group;
  }

  ManualClock clock_;
  MemoryFileSystem fs_;
};

TEST_F(GroupTableTest, HasTheBuiltInGroups) {
  const auto table = Open(false);
  for (const char* name :
       {"TOOLS_CONSUMER", "FILTERSRV_CONSUMER", "SELF_TEST_C_GROUP", "CID_ONS-HTTP-PROXY",
        "CID_ONSAPI_PULL", "CID_ONSAPI_PERMISSION", "CID_ONSAPI_OWNER", "CID_RMQ_SYS_TRANS"}) {
    const GroupPtr group = table->Find(name);
    ASSERT_NE(group, nullptr) << name;
    EXPECT_TRUE(group->consume_enable) << name;
    EXPECT_TRUE(group->consume_broadcast_enable) << name;
  }
}

TEST_F(GroupTableTest, CreatesGroupsOnUse) {
  const auto table = Open();
  int told = 0;
  table->SetChangeListener([&] { ++told; });
  const GroupPtr group = table->FindOrCreate("CG");
  ASSERT_NE(group, nullptr);
  EXPECT_EQ(group->retry_queues, 1);
  EXPECT_EQ(group->retry_max_times, 16);
  EXPECT_EQ(table->FindOrCreate("CG"), group);
  EXPECT_EQ(told, 1);
}

TEST_F(GroupTableTest, SwitchedOffCreatesOnlySystemGroups) {
  const auto table = Open(false);
  EXPECT_EQ(table->FindOrCreate("CG"), nullptr);
  EXPECT_NE(table->FindOrCreate("CID_RMQ_SYS_X"), nullptr);
}

TEST_F(GroupTableTest, RefusesBadNamesHoweverTheyCome) {
  const auto table = Open();
  EXPECT_EQ(table->FindOrCreate("bad group"), nullptr);
  EXPECT_EQ(table->FindOrCreate(""), nullptr);
  EXPECT_EQ(table->FindOrCreate(std::string(121, 'g')), nullptr);
  EXPECT_NE(table->FindOrCreate(std::string(120, 'g')), nullptr);
  const auto text = [&](std::string name) { return table->Put(Group(name)).error().message(); };
  EXPECT_EQ(text("bad group!"),
            "The specified group: bad group!, contains illegal characters, allowing only "
            "^[%|a-zA-Z0-9_-]+$");
  EXPECT_EQ(text(""), "The specified group is blank.");
  EXPECT_FALSE(table->PutAll({Group("good"), Group("bad g!")}).ok());
  EXPECT_EQ(table->Find("good"), nullptr);
}

TEST_F(GroupTableTest, ReadsBackWhatItPersistedWithWhatItDoesNotKnow) {
  DataVersion version;
  {
    const auto table = Open();
    Result<Json> json = Json::Parse(
        R"({"groupName":"CG","consumeEnable":false,"retryMaxTimes":3,"futureMember":{"a":1}})");
    ASSERT_TRUE(table->Put(GroupConfig::FromJson(*json)).ok());
    ASSERT_TRUE(table->Persist().ok());
    version = table->version();
  }
  const auto table = Open();
  const GroupPtr group = table->Find("CG");
  ASSERT_NE(group, nullptr);
  EXPECT_FALSE(group->consume_enable);
  EXPECT_EQ(group->retry_max_times, 3);
  EXPECT_EQ(group->ToJson()["futureMember"]["a"].ToInt(), 1);
  EXPECT_EQ(table->version(), version);
}

TEST_F(GroupTableTest, KeepsTheForbiddenTableOfTheFile) {
  ASSERT_TRUE(fs_.MakeDirectory("config").ok());
  ASSERT_TRUE(fs_.WriteFile(kPath, R"({"dataVersion":{"counter":4,"timestamp":5},
      "forbiddenTable":{"CG":{"T":1}},"subscriptionGroupTable":{"CG":{"groupName":"CG"}}})")
                  .ok());
  const auto table = Open();
  EXPECT_EQ(table->version().counter, 4);
  EXPECT_EQ(table->Forbidden()["CG"]["T"].ToInt(), 1);
  ASSERT_TRUE(table->Persist().ok());
  EXPECT_EQ(Open()->Forbidden()["CG"]["T"].ToInt(), 1);
}

TEST_F(GroupTableTest, DamagedFileFallsBackToTheGenerationBefore) {
  {
    const auto table = Open();
    ASSERT_TRUE(table->Put(Group("old")).ok());
    ASSERT_TRUE(table->Persist().ok());
    ASSERT_TRUE(table->Put(Group("new")).ok());
    ASSERT_TRUE(table->Persist().ok());
  }
  ASSERT_TRUE(fs_.Remove(kPath).ok());
  ASSERT_TRUE(fs_.WriteFile(kPath, "{").ok());
  const auto table = Open();
  EXPECT_NE(table->Find("old"), nullptr);
  EXPECT_EQ(table->Find("new"), nullptr);
}

TEST_F(GroupTableTest, RemovedGroupIsGone) {
  const auto table = Open();
  ASSERT_TRUE(table->Put(Group("CG")).ok());
  EXPECT_TRUE(table->Remove("CG"));
  EXPECT_FALSE(table->Remove("CG"));
  EXPECT_EQ(table->Find("CG"), nullptr);
}

}  // namespace
}  // namespace apogee
