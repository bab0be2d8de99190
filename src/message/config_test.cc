// Topic and group configurations and subscriptions as JSON.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/java_hash.h"
#include "message/group_config.h"
#include "message/subscription.h"
#include "message/topic_config.h"

namespace apogee {
namespace {

using testing::ElementsAre;

TEST(TopicConfigTest, JsonHasRocketMqsMembers) {
  TopicConfig config;
  config.name = "t";
  config.read_queues = 1;
  config.write_queues = 2;
  config.multi_tag = true;
  config.sys_flag = 1;
  config.order = true;
  config.attributes["message.type"] = "FIFO";
  const std::string text =
      R"({"attributes":{"message.type":"FIFO"},"order":true,"perm":6,"readQueueNums":1,)"
      R"("topicFilterType":"MULTI_TAG","topicName":"t","topicSysFlag":1,"writeQueueNums":2})";
  EXPECT_EQ(config.ToJson().Dump(), text);
  EXPECT_EQ(TopicConfig::FromJson(*Json::Parse(text)), config);
}

TEST(TopicConfigTest, AbsentMembersHaveTheirDefaults) {
  const TopicConfig config = TopicConfig::FromJson(*Json::Parse("{topicName:'t',attributes:null}"));
  EXPECT_EQ(config.read_queues, 16);
  EXPECT_EQ(config.write_queues, 16);
  EXPECT_EQ(config.perm, 6);
  EXPECT_FALSE(config.multi_tag);
  EXPECT_TRUE(config.attributes.empty());
}

TEST(TopicConfigTest, TextIsThatOfErrorRemarks) {
  TopicConfig config;
  config.name = "t";
  config.read_queues = 1;
  config.write_queues = 1;
  EXPECT_EQ(config.ToString(),
            "TopicConfig [topicName=t, readQueueNums=1, writeQueueNums=1, perm=RW-, "
            "topicFilterType=SINGLE_TAG, topicSysFlag=0, order=false, attributes={}]");
  config.attributes = {{"a", "1"}, {"b", "2"}};
  EXPECT_THAT(config.ToString(), testing::HasSubstr("attributes={a=1, b=2}]"));
}

TEST(TopicConfigTest, PermTexts) {
  EXPECT_EQ(PermText(7), "RWX");
  EXPECT_EQ(PermText(6), "RW-");
  EXPECT_EQ(PermText(2), "-W-");
  EXPECT_EQ(PermText(0), "---");
}

TEST(DataVersionTest, JsonComesBack) {
  const DataVersion version{1, 1795992829935, 10};
  EXPECT_EQ(version.ToJson().Dump(),
            R"({"counter":10,"stateVersion":1,"timestamp":1795992829935})");
  EXPECT_EQ(DataVersion::FromJson(version.ToJson()), version);
  EXPECT_EQ(DataVersion::FromJson(*Json::Parse("{counter:2,timestamp:3}")), (DataVersion{0, 3, 2}));
}

// As RocketMQ 5.5.0 writes a group that nobody configured.
constexpr std::string_view kDefaultGroup =
    R"({"attributes":{},"brokerId":0,"consumeBroadcastEnable":true,"consumeEnable":true,)"
    R"("consumeFromMinEnable":true,"consumeMessageOrderly":false,"consumeTimeoutMinute":15,)"
    R"("groupName":"g","groupRetryPolicy":{"type":"CUSTOMIZED"},"groupSysFlag":0,)"
    R"("notifyConsumerIdsChangedEnable":true,"retryMaxTimes":16,"retryQueueNums":1,)"
    R"("whichBrokerWhenConsumeSlowly":1})";

TEST(GroupConfigTest, DefaultIsThatOfRocketMq) {
  GroupConfig config;
  config.name = "g";
  EXPECT_EQ(config.ToJson().Dump(), kDefaultGroup);
  EXPECT_EQ(GroupConfig::FromJson(*Json::Parse(kDefaultGroup)).ToJson().Dump(), kDefaultGroup);
  // The nine members of 4.9.
  const auto old = Json::Parse(
      "{'groupName':'g','consumeEnable':true,'consumeFromMinEnable':true,"
      "'consumeBroadcastEnable':true,'retryQueueNums':1,'retryMaxTimes':16,'brokerId':0,"
      "'whichBrokerWhenConsumeSlowly':1,'notifyConsumerIdsChangedEnable':true}");
  EXPECT_EQ(GroupConfig::FromJson(*old).ToJson().Dump(), kDefaultGroup);
}

TEST(GroupConfigTest, EveryMemberIsReadAndUnknownOnesAreKept) {
  const std::string text =
      R"({"attributes":{"priority.factor":"3"},"brokerId":1,"consumeBroadcastEnable":false,)"
      R"("consumeEnable":false,"consumeFromMinEnable":false,"consumeMessageOrderly":true,)"
      R"("consumeTimeoutMinute":20,"groupName":"g","groupRetryPolicy":{"type":"EXPONENTIAL"},)"
      R"("groupSysFlag":2,"later":[1],"notifyConsumerIdsChangedEnable":false,"retryMaxTimes":3,)"
      R"("retryQueueNums":4,"whichBrokerWhenConsumeSlowly":5})";
  const GroupConfig config = GroupConfig::FromJson(*Json::Parse(text));
  EXPECT_FALSE(config.consume_enable);
  EXPECT_EQ(config.retry_max_times, 3);
  EXPECT_EQ(config.ToJson().Dump(), text);
}

TEST(SubscriptionTest, TagsAreSplitAndTrimmed) {
  const auto subscription = Subscription::FromExpression("t", " a || b||||  ||a", "TAG");
  ASSERT_TRUE(subscription.ok());
  EXPECT_THAT(subscription->tags, ElementsAre("a", "b"));
  EXPECT_THAT(subscription->tag_codes, ElementsAre(JavaStringHash("a"), JavaStringHash("b")));
  EXPECT_FALSE(subscription->matches_all());
}

TEST(SubscriptionTest, StarAndNothingMeanAll) {
  for (const char* expression : {"", "*"}) {
    const auto subscription = Subscription::FromExpression("t", expression, "");
    ASSERT_TRUE(subscription.ok());
    EXPECT_TRUE(subscription->matches_all());
    EXPECT_EQ(subscription->expression, "*");
  }
}

TEST(SubscriptionTest, ExpressionWithoutTagsIsRefused) {
  for (const char* expression : {"||", " ", " || "}) {
    EXPECT_EQ(Subscription::FromExpression("t", expression, "TAG").error().code(),
              ErrorCode::kInvalidArgument);
  }
  EXPECT_FALSE(Subscription::FromExpression("t", "", "SQL92").ok());
}

TEST(SubscriptionTest, OtherTypesKeepTheirExpression) {
  const auto subscription = Subscription::FromExpression("t", "a > 1 || b", "SQL92");
  ASSERT_TRUE(subscription.ok());
  EXPECT_EQ(subscription->expression, "a > 1 || b");
  EXPECT_TRUE(subscription->tags.empty());
  EXPECT_FALSE(subscription->matches_all());
}

TEST(SubscriptionTest, JsonComesBack) {
  auto subscription = *Subscription::FromExpression("t", "a||b", "TAG");
  subscription.version = 1795992829935;
  const std::string text = subscription.ToJson().Dump();
  EXPECT_EQ(text,
            R"({"classFilterMode":false,"codeSet":[97,98],"expressionType":"TAG",)"
            R"("subString":"a||b","subVersion":1795992829935,"tagsSet":["a","b"],"topic":"t"})");
  EXPECT_EQ(Subscription::FromJson(*Json::Parse(text)).ToJson().Dump(), text);
}

TEST(SubscriptionTest, ClientsMayLeaveMembersOutOrSendTextForNumbers) {
  const auto subscription = Subscription::FromJson(
      *Json::Parse(R"({"topic":"t","subString":"a","tagsSet":["a"],"codeSet":null,)"
                   R"("subVersion":"123","expressionType":null})"));
  EXPECT_EQ(subscription.version, 123);
  EXPECT_TRUE(subscription.is_tag_type());
  EXPECT_THAT(subscription.tag_codes, ElementsAre(97));
  EXPECT_TRUE(Subscription::FromJson(*Json::Parse("{topic:'t'}")).matches_all());
}

}  // namespace
}  // namespace apogee
