// Topics that brokers list, and what happens to those that they stop listing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "nameserver/fake/handler_fixture.h"
#include "protocol/request_code.h"
#include "protocol/response_code.h"

namespace apogee {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

using TopicListingTest = HandlerFixture;

TEST_F(TopicListingTest, WipedPermissionComesBackWithAChangedDataVersionOnly) {
  Registration a{.topics = {Topic("a"), Topic("T")}};
  Register(a);
  EXPECT_EQ(Call(RequestCode::kWipeWritePermOfBroker, {{"brokerName", "a"}})
                .fields.Text("wipeTopicCount"),
            "2");
  Register(a);
  EXPECT_EQ(Route("T")->queues[0].perm, 4);
  ++a.version.counter;
  Register(a);
  EXPECT_EQ(Route("T")->queues[0].perm, 6);
  Call(RequestCode::kWipeWritePermOfBroker, {{"brokerName", "a"}});
  EXPECT_EQ(
      Call(RequestCode::kAddWritePermOfBroker, {{"brokerName", "a"}}).fields.Text("addTopicCount"),
      "2");
  EXPECT_EQ(Route("T")->queues[0].perm, 6);
  EXPECT_EQ(Call(RequestCode::kWipeWritePermOfBroker, {{"brokerName", "no"}})
                .fields.Text("wipeTopicCount"),
            "0");
}

TEST_F(TopicListingTest, TrapP20TopicDeletedOnOneBrokerLeavesTheRouteWithinAPeriod) {
  Registration a{.topics = {Topic("a"), Topic("T"), Topic("U")}};
  Register(a);
  Register({.name = "b", .addr = "b:1", .topics = {Topic("b"), Topic("T")}});
  Pass(5s);
  EXPECT_THAT(RouteBrokers("T"), ElementsAre("a", "b"));
  a.topics = {Topic("a"), Topic("U")};
  ++a.version.counter;
  Pass(25s);
  Register(a);
  Pass(5s);
  EXPECT_THAT(RouteBrokers("T"), ElementsAre("b"));
  EXPECT_THAT(RouteBrokers("U"), ElementsAre("a"));
}

TEST_F(TopicListingTest, IncrementalRegistrationDropsNothing) {
  Registration a{.topics = {Topic("a"), Topic("T"), Topic("U")}};
  Register(a);
  Pass(10s);
  ++a.version.counter;
  a.topics = {Topic("New")};
  Register(a);
  for (int i = 0; i < 4; ++i) Pass(5s);
  EXPECT_THAT(RouteBrokers("T"), ElementsAre("a"));
  EXPECT_THAT(RouteBrokers("New"), ElementsAre("a"));
  a.topics = {Topic("a"), Topic("T"), Topic("U"), Topic("New")};
  Register(a);
  for (int i = 0; i < 4; ++i) Pass(5s);
  EXPECT_THAT(RouteBrokers("New"), ElementsAre("a"));
  EXPECT_THAT(RouteBrokers("U"), ElementsAre("a"));
}

TEST_F(TopicListingTest, PiecesOfASplitRegistrationAreOneListing) {
  Registration a;
  const auto list = [&](bool with_last) {
    for (int piece = 0; piece < 5; ++piece) {
      a.topics.clear();
      for (int i = 0; i < 10; ++i) {
        if (piece == 4 && i == 9 && !with_last) continue;
        a.topics.push_back(Topic("T" + std::to_string(piece) + "_" + std::to_string(i)));
      }
      if (piece == 2) a.topics.push_back(Topic("a"));
      Register(a);
      Pass(500ms);
    }
  };
  list(true);
  for (int i = 0; i < 5; ++i) Pass(5s);
  EXPECT_EQ(routes_.Topics().size(), 51U);
  ++a.version.counter;
  list(false);
  for (int i = 0; i < 2; ++i) Pass(5s);
  EXPECT_EQ(routes_.Topics().size(), 50U);
  EXPECT_THAT(RouteBrokers("T4_9"), IsEmpty());
}

TEST_F(TopicListingTest, SplitRegistrationThatStallsLosesNothing) {
  Registration a{.topics = {Topic("a"), Topic("T1")}};
  Register(a);
  a.topics = {Topic("T2"), Topic("T3"), Topic("T4")};
  Register(a);
  Pass(30s);
  a.topics = {Topic("a"), Topic("T1")};
  Register(a);
  Pass(8s);  // The second piece is late.
  EXPECT_THAT(RouteBrokers("T4"), ElementsAre("a"));
  a.topics = {Topic("T2"), Topic("T3"), Topic("T4")};
  Register(a);
  Pass(8s);
  EXPECT_EQ(routes_.Topics().size(), 5U);
}

TEST_F(TopicListingTest, BrokerThatDeletedMostTopicsLosesThemAPeriodLater) {
  Registration a{.topics = {Topic("a"), Topic("T1"), Topic("T2"), Topic("T3")}};
  Register(a);
  Pass(30s);
  a.topics = {Topic("a")};
  for (int i = 0; i < 3; ++i) {
    Register(a);
    Pass(30s);
  }
  EXPECT_THAT(routes_.Topics(), ElementsAre("a"));
}

TEST_F(TopicListingTest, DeleteWithRegistrationDropsAtOnceWhenSwitchedOn) {
  Call(RequestCode::kUpdateNamesrvConfig, {}, "deleteTopicWithBrokerRegistration=true\n");
  Registration a{.topics = {Topic("a"), Topic("T"), Topic("U")}};
  Register(a);
  clock_.Advance(1s);
  a.topics = {Topic("New")};
  Register(a);
  EXPECT_EQ(routes_.Topics().size(), 4U);
  clock_.Advance(1s);
  a.topics = {Topic("a"), Topic("U")};
  Register(a);
  EXPECT_THAT(routes_.Topics(), ElementsAre("U", "a"));
}

TEST_F(TopicListingTest, SingleTopicIsAddedForBrokersThatAreThere) {
  Register({.topics = {Topic("a"), Topic("U")}});
  const std::string body =
      R"({"queueDatas":[{"brokerName":"a","perm":6,"readQueueNums":2,"writeQueueNums":2},)"
      R"({"brokerName":"no","perm":6,"readQueueNums":2,"writeQueueNums":2}]})";
  EXPECT_EQ(Call(RequestCode::kRegisterTopicInNamesrv, {{"topic", "T"}}, body).code, 0);
  EXPECT_THAT(RouteBrokers("T"), ElementsAre("a"));
}

TEST_F(TopicListingTest, DeleteTopicWholeOrInOneCluster) {
  Register({.topics = {Topic("a"), Topic("T")}});
  Register({.name = "b", .addr = "b:1", .topics = {Topic("b"), Topic("T")}, .cluster = "D"});
  Call(RequestCode::kDeleteTopicInNamesrv, {{"topic", "T"}, {"clusterName", "C"}});
  EXPECT_THAT(RouteBrokers("T"), ElementsAre("b"));
  Call(RequestCode::kDeleteTopicInNamesrv, {{"topic", "T"}});
  EXPECT_THAT(RouteBrokers("T"), IsEmpty());
  EXPECT_EQ(Call(RequestCode::kDeleteTopicInNamesrv).code, ResponseCode::kSuccess);
}

TEST_F(TopicListingTest, TrapP48SixtyThousandTopicsAreRoutable) {
  Registration a;
  for (int piece = 0; piece < 75; ++piece) {
    a.topics.clear();
    for (int i = 0; i < 800; ++i) {
      a.topics.push_back(Topic("topic_" + std::to_string(piece * 800 + i)));
    }
    if (piece == 0) a.topics.push_back(Topic("a"));
    Register(a);
  }
  Pass(6s);
  EXPECT_EQ(routes_.Topics().size(), 60'001U);
  EXPECT_THAT(RouteBrokers("topic_59999"), ElementsAre("a"));
}

}  // namespace
}  // namespace apogee
