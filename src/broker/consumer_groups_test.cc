#include "broker/consumer_groups.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>

#include "broker/fake/broker_parts.h"
#include "broker/fake/fake_client.h"
#include "broker/heartbeats.h"

namespace apogee {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

ConsumerHeartbeat Consuming(std::string group, std::string topic, std::string expression = "*",
                            std::int64_t version = 1) {
  ConsumerHeartbeat heartbeat;
  heartbeat.group = std::move(group);
  Subscription subscription = Subscription::FromExpression(topic, expression, "TAG").value();
  subscription.version = version;
  heartbeat.subscriptions.push_back(std::move(subscription));
  return heartbeat;
}

class ConsumerGroupsTest : public testing::Test {
 protected:
  void Beat(const ConsumerHeartbeat& heartbeat, const std::shared_ptr<FakeClient>& client,
            std::string_view id) {
    groups_.Register(heartbeat, id, client, true);
  }
  std::string ExpressionOf(const FakeClient& client, std::string_view topic) const {
    const auto found = groups_.FindSubscription("g", topic, client.id());
    return found.subscription ? found.subscription->expression : "none";
  }

  ManualClock clock_;
  ConsumerGroups groups_{clock_, true};
  std::shared_ptr<FakeClient> a_ = std::make_shared<FakeClient>(1);
  std::shared_ptr<FakeClient> b_ = std::make_shared<FakeClient>(2);
};

TEST_F(ConsumerGroupsTest, NewcomerIsToldToEveryMemberIncludingItself) {
  Beat(Consuming("g", "T"), a_, "a");
  EXPECT_THAT(a_->notices, ElementsAre("g"));
  Beat(Consuming("g", "T"), b_, "b");
  EXPECT_THAT(a_->notices, ElementsAre("g", "g"));
  EXPECT_THAT(b_->notices, ElementsAre("g"));
  Beat(Consuming("g", "T"), b_, "b");
  EXPECT_THAT(b_->notices, SizeIs(1)) << "nothing changed";
  EXPECT_THAT(groups_.ClientIds("g"), ElementsAre("a", "b"));
}

TEST_F(ConsumerGroupsTest, ChangedTopicsAreToldChangedTagsAreNot) {
  Beat(Consuming("g", "T"), a_, "a");
  Beat(Consuming("g", "T", "TagA"), a_, "a");
  EXPECT_THAT(a_->notices, SizeIs(1));
  Beat(Consuming("g", "U"), a_, "a");
  EXPECT_THAT(a_->notices, SizeIs(2));
}

TEST_F(ConsumerGroupsTest, BroadcastingGroupsGetNoNotices) {
  ConsumerHeartbeat heartbeat = Consuming("g", "T");
  heartbeat.model = MessageModel::kBroadcasting;
  Beat(heartbeat, a_, "a");
  Beat(heartbeat, b_, "b");
  groups_.OnClientClosed(*b_);
  EXPECT_THAT(a_->notices, IsEmpty());
}

TEST_F(ConsumerGroupsTest, SwitchedOffGroupsGetNoNoticesOfLeaversEither) {
  groups_.Register(Consuming("g", "T"), "a", a_, false);
  groups_.Register(Consuming("g", "T"), "b", b_, false);
  groups_.OnClientClosed(*b_);
  EXPECT_THAT(a_->notices, IsEmpty());
}

TEST_F(ConsumerGroupsTest, SwitchedOffBrokerGivesNoNotices) {
  ConsumerGroups quiet(clock_, false);
  quiet.Register(Consuming("g", "T"), "a", a_, true);
  EXPECT_THAT(a_->notices, IsEmpty());
}

TEST_F(ConsumerGroupsTest, LeaversAreToldToTheRest) {
  Beat(Consuming("g", "T"), a_, "a");
  Beat(Consuming("g", "T"), b_, "b");
  a_->notices.clear();
  groups_.Unregister("g", "b", *b_);
  EXPECT_THAT(a_->notices, ElementsAre("g"));
  EXPECT_THAT(groups_.ClientIds("g"), ElementsAre("a"));
  groups_.Unregister("g", "b", *b_);
  groups_.Unregister("unknown", "b", *b_);
  EXPECT_THAT(a_->notices, SizeIs(1));
  groups_.OnClientClosed(*a_);
  EXPECT_FALSE(groups_.Online("g"));
}

TEST_F(ConsumerGroupsTest, LaterHeartbeatOfAConnectionWinsWhateverItsVersion) {
  Beat(Consuming("g", "T", "A", 10'000'000), a_, "a");
  Beat(Consuming("g", "T", "B", 10'000'000 - 3'600'000), a_, "a");
  EXPECT_EQ(ExpressionOf(*a_, "T"), "B");
}

TEST_F(ConsumerGroupsTest, ClientIdStaysListedWhileOneOfItsConnectionsLives) {
  Beat(Consuming("g", "T"), a_, "same");
  Beat(Consuming("g", "T"), b_, "same");
  EXPECT_THAT(groups_.ClientIds("g"), ElementsAre("same"));
  EXPECT_THAT(groups_.View("g")->members, SizeIs(2)) << "the duplicate can be seen";
  groups_.OnClientClosed(*a_);
  EXPECT_THAT(groups_.ClientIds("g"), ElementsAre("same"));
  groups_.OnClientClosed(*b_);
  EXPECT_THAT(groups_.ClientIds("g"), IsEmpty());
}

TEST_F(ConsumerGroupsTest, MembersWithDifferentTopicsKeepTheirOwn) {
  for (int i = 0; i < 3; ++i) {
    Beat(Consuming("g", "A", "x"), a_, "a");
    Beat(Consuming("g", "B", "y"), b_, "b");
    EXPECT_EQ(ExpressionOf(*a_, "A"), "x");
    EXPECT_EQ(ExpressionOf(*b_, "B"), "y");
    EXPECT_EQ(ExpressionOf(*a_, "B"), "none");
  }
  EXPECT_THAT(a_->notices, SizeIs(2)) << "its own joining and b's; the alternation is no change";
  EXPECT_EQ(ExpressionOf(FakeClient(3), "B"), "y") << "who never sent a heartbeat uses another's";
}

TEST_F(ConsumerGroupsTest, SilentClientsAreRemovedAndClosed) {
  Beat(Consuming("g", "T"), a_, "a");
  groups_.RegisterProducer("p", "b", b_);
  clock_.Advance(seconds(60));
  Beat(Consuming("g", "T"), a_, "a");
  clock_.Advance(seconds(60));
  groups_.ExpireSilent();
  EXPECT_FALSE(b_->closed) << "120 s are allowed";
  clock_.Advance(seconds(1));
  groups_.ExpireSilent();
  EXPECT_TRUE(b_->closed);
  EXPECT_FALSE(a_->closed);
  clock_.Advance(seconds(60));
  groups_.ExpireSilent();
  EXPECT_TRUE(a_->closed);
  EXPECT_FALSE(groups_.Online("g"));
}

TEST_F(ConsumerGroupsTest, StepOfTheWallClockExpiresNobody) {
  Beat(Consuming("g", "T"), a_, "a");
  clock_.SetWallMs(clock_.WallMs() + 86'400'000);
  groups_.ExpireSilent();
  EXPECT_FALSE(a_->closed);
}

class HeartbeatsTest : public testing::Test {
 protected:
  bool Beat(ConsumerHeartbeat consumer, bool without_subscriptions = false) {
    ClientHeartbeat heartbeat;
    heartbeat.client_id = "a";
    heartbeat.consumers.push_back(std::move(consumer));
    heartbeat.without_subscriptions = without_subscriptions;
    return heartbeats_.OnHeartbeat(heartbeat, client_);
  }

  BrokerParts parts_;
  Heartbeats heartbeats_{parts_.topics, parts_.groups, parts_.online};
  std::shared_ptr<FakeClient> client_ = std::make_shared<FakeClient>(1);
};

TEST_F(HeartbeatsTest, CreatesGroupAndRetryTopic) {
  EXPECT_TRUE(Beat(Consuming("g", "T")));
  ASSERT_NE(parts_.groups.Find("g"), nullptr);
  const TopicPtr retry = parts_.topics.Find("%RETRY%g");
  ASSERT_NE(retry, nullptr);
  EXPECT_EQ(retry->write_queues, 1);
  EXPECT_EQ(retry->perm, kPermRead | kPermWrite);
  EXPECT_EQ(retry->sys_flag, 0);
}

TEST_F(HeartbeatsTest, UnitModeMarksTheRetryTopic) {
  ConsumerHeartbeat consumer = Consuming("g", "T");
  consumer.unit_mode = true;
  Beat(consumer);
  EXPECT_EQ(parts_.topics.Find("%RETRY%g")->sys_flag, kTopicSysFlagUnitSub);
}

TEST_F(HeartbeatsTest, GroupThatMayNotBeCreatedIsLeftOut) {
  EXPECT_TRUE(Beat(Consuming("bad group", "T")));
  EXPECT_FALSE(parts_.online.Online("bad group"));
  EXPECT_EQ(parts_.topics.Find("%RETRY%bad group"), nullptr);

  BrokerParts strict(false);
  Heartbeats heartbeats(strict.topics, strict.groups, strict.online);
  ClientHeartbeat heartbeat;
  heartbeat.consumers.push_back(Consuming("g", "T"));
  heartbeats.OnHeartbeat(heartbeat, client_);
  EXPECT_FALSE(strict.online.Online("g"));
}

TEST_F(HeartbeatsTest, ShortFormKeepsSubscriptionsAndCountsAsSeen) {
  Beat(Consuming("g", "T", "TagA"));
  parts_.clock.Advance(seconds(100));
  ConsumerHeartbeat without = Consuming("g", "T");
  without.subscriptions.clear();
  EXPECT_TRUE(Beat(without, true));
  parts_.clock.Advance(seconds(100));
  parts_.online.ExpireSilent();
  EXPECT_FALSE(client_->closed);
  const auto found = parts_.online.FindSubscription("g", "T", client_->id());
  ASSERT_NE(found.subscription, nullptr);
  EXPECT_EQ(found.subscription->expression, "TagA");
}

TEST_F(HeartbeatsTest, ShortFormOfAnUnknownConnectionAsksForTheFullOneAndJoins) {
  auto other = std::make_shared<FakeClient>(2);
  parts_.online.Register(Consuming("g", "T", "TagA"), "b", other, true);
  ConsumerHeartbeat without = Consuming("g", "T");
  without.subscriptions.clear();
  EXPECT_FALSE(Beat(without, true));
  EXPECT_THAT(parts_.online.ClientIds("g"), ElementsAre("a", "b"));
  EXPECT_THAT(other->notices, SizeIs(2));
  EXPECT_NE(parts_.online.FindSubscription("g", "T", client_->id()).subscription, nullptr)
      << "meanwhile another member's";
  EXPECT_TRUE(Beat(Consuming("g", "U")));
  EXPECT_TRUE(Beat(without, true));
}

TEST_F(HeartbeatsTest, GoodbyeNamesEitherGroup) {
  Beat(Consuming("g", "T"));
  heartbeats_.OnUnregister("a", "", "", *client_);
  EXPECT_TRUE(parts_.online.Online("g"));
  heartbeats_.OnUnregister("a", "p", "g", *client_);
  EXPECT_FALSE(parts_.online.Online("g"));
}

}  // namespace
}  // namespace apogee
