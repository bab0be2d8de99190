// What clients and tools ask the name server.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "nameserver/fake/handler_fixture.h"
#include "protocol/name_lists.h"
#include "protocol/request_code.h"
#include "protocol/response_code.h"

namespace apogee {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using HandlerTest = HandlerFixture;

TEST_F(HandlerTest, RouteComesInTheFormThatTheVersionReads) {
  Register({.topics = {Topic("a"), Topic("T")}});
  const FieldMap ask{{"topic", "T"}};
  const std::string standard = Call(RequestCode::kGetRouteinfoByTopic, ask, "", 401).body;
  EXPECT_EQ(
      standard,
      R"({"brokerDatas":[{"brokerAddrs":{"0":"1.1.1.1:1"},"brokerName":"a","cluster":"C",)"
      R"("enableActingMaster":false}],"filterServerTable":{},"queueDatas":[{"brokerName":"a",)"
      R"("perm":6,"readQueueNums":4,"topicSysFlag":0,"writeQueueNums":4}]})");
  for (const std::int32_t version : {399, 317, 0, -1}) {
    EXPECT_THAT(Call(RequestCode::kGetRouteinfoByTopic, ask, "", version).body,
                HasSubstr("{0:\"1.1.1.1:1\"}"));
  }
  EXPECT_EQ(Call(RequestCode::kGetRouteinfoByTopic,
                 {{"topic", "T"}, {"acceptStandardJsonOnly", "true"}}, "", 317)
                .body,
            standard);
}

TEST_F(HandlerTest, UnknownTopicsAndCodesHaveTheTextsOfApache) {
  const Reply unknown = Call(RequestCode::kGetRouteinfoByTopic, {{"topic", "No"}});
  EXPECT_EQ(unknown.code, ResponseCode::kTopicNotExist);
  EXPECT_EQ(unknown.remark,
            "No topic route info in name server for the topic: No\nSee "
            "https://rocketmq.apache.org/docs/bestPractice/06FAQ for further details.");
  EXPECT_THAT(Call(RequestCode::kGetRouteinfoByTopic).remark, HasSubstr("topic: null\n"));
  const Reply code = Call(9999);
  EXPECT_EQ(code.code, ResponseCode::kRequestCodeNotSupported);
  EXPECT_EQ(code.remark, " request type 9999 not supported");
}

TEST_F(HandlerTest, ZoneModeKeepsTheBrokersOfTheZone) {
  Register({.topics = {Topic("a"), Topic("T")}, .zone = "z1"});
  Register({.name = "b", .addr = "b:1", .topics = {Topic("b"), Topic("T")}, .zone = "z2"});
  const auto route = Route("T", {{"__ZONE_NAME", "z2"}, {"__ZONE_MODE", "true"}});
  ASSERT_EQ(route->queues.size(), 1U);
  EXPECT_EQ(route->queues[0].broker_name, "b");
  EXPECT_EQ(Route("T", {{"__ZONE_NAME", "z2"}})->queues.size(), 2U);
}

TEST_F(HandlerTest, NotReadyWhileWaitingForBrokers) {
  Register({.topics = {Topic("a"), Topic("T")}});
  Call(RequestCode::kUpdateNamesrvConfig, {}, "needWaitForService=true");
  EXPECT_EQ(Call(RequestCode::kGetRouteinfoByTopic, {{"topic", "T"}}).remark,
            "name server not ready");
  clock_.Advance(46s);
  EXPECT_EQ(Call(RequestCode::kGetRouteinfoByTopic, {{"topic", "T"}}).code, 0);
}

TEST_F(HandlerTest, TopicListsByClusterFlagAndSystem) {
  TopicConfig unit = Topic("Unit");
  unit.sys_flag = kTopicSysFlagUnit;
  TopicConfig sub = Topic("Sub");
  sub.sys_flag = kTopicSysFlagUnitSub;
  TopicConfig both = Topic("Both");
  both.sys_flag = kTopicSysFlagUnit | kTopicSysFlagUnitSub;
  Register({.topics = {Topic("a"), unit, sub, both}});
  Register({.name = "b", .addr = "b:1", .topics = {Topic("b"), Topic("T")}, .cluster = "D"});
  const auto list = [this](std::int32_t code, const FieldMap& fields = {}) {
    return TopicList::Parse(Call(code, fields).body)->topics;
  };
  EXPECT_THAT(list(RequestCode::kGetUnitTopicList), ElementsAre("Both", "Unit"));
  EXPECT_THAT(list(RequestCode::kGetHasUnitSubTopicList), ElementsAre("Both", "Sub"));
  EXPECT_THAT(list(RequestCode::kGetHasUnitSubUnunitTopicList), ElementsAre("Sub"));
  EXPECT_THAT(list(RequestCode::kGetTopicsByCluster, {{"cluster", "D"}}), ElementsAre("T", "b"));
  EXPECT_THAT(list(RequestCode::kGetTopicsByCluster, {{"cluster", "no"}}), IsEmpty());
  EXPECT_EQ(list(RequestCode::kGetAllTopicListFromNameserver).size(), 6U);
  const auto system = TopicList::Parse(Call(RequestCode::kGetSystemTopicListFromNs).body);
  EXPECT_THAT(system->topics, ElementsAre("C", "a", "D", "b"));
  EXPECT_EQ(system->broker_addr, "1.1.1.1:1");
}

}  // namespace
}  // namespace apogee
