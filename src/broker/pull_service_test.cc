#include "broker/pull_service.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "base/java_hash.h"
#include "broker/fake/broker_parts.h"
#include "broker/fake/fake_client.h"
#include "message/properties.h"
#include "message/sys_flag.h"

namespace apogee {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class PullServiceTest : public testing::Test {
 protected:
  PullServiceTest() { parts_.AddTopic("T", 1); }

  void Store(std::string_view body, std::string_view tag = {}, std::string_view topic = "T") {
    std::string properties;
    if (!tag.empty()) AppendProperty(properties, "TAGS", tag);
    RecordFields record;
    record.topic = topic;
    record.body = body;
    record.properties = properties;
    record.store_host = parts_.identity.store_host;
    ASSERT_TRUE(parts_.store.Append({&record, 1}).ok());
  }

  static PullRequest From(std::int64_t offset, std::string_view expression = "*") {
    PullRequest request;
    request.group = "g";
    request.topic = "T";
    request.offset = offset;
    request.max_messages = 32;
    request.sys_flag = kPullFlagSubscription;
    request.expression = expression;
    request.client = 1;
    request.client_address = "127.0.0.1:39790";
    return request;
  }

  PullOutcome Pull(const PullRequest& request) {
    return service_.Pull(request, PullService::Pass::kFirst);
  }
  static std::vector<std::string> Bodies(const PullOutcome& outcome) {
    std::vector<std::string> bodies;
    for (const RecordRef& record : outcome.records) {
      bodies.emplace_back(DecodeRecord(record.bytes, CrcCheck::kVerify)->body);
    }
    return bodies;
  }
  void ExpectRefused(const PullRequest& request, PullStatus status, std::string_view remark,
                     std::int32_t forbidden_type = 0) {
    const PullOutcome outcome = Pull(request);
    EXPECT_EQ(outcome.status, status);
    EXPECT_EQ(outcome.remark, remark);
    EXPECT_EQ(outcome.forbidden_type, forbidden_type);
    EXPECT_FALSE(outcome.answers_with_offsets());
  }
  void ExpectNext(const PullOutcome& outcome, PullStatus status, std::string_view remark,
                  std::int64_t next) {
    EXPECT_EQ(outcome.status, status);
    EXPECT_EQ(outcome.remark, remark);
    EXPECT_EQ(outcome.next_offset, next);
    EXPECT_TRUE(outcome.answers_with_offsets());
  }
  void Subscribe(std::uint64_t client, std::string_view expression, std::int64_t version = 100,
                 MessageModel model = MessageModel::kClustering) {
    ConsumerHeartbeat heartbeat;
    heartbeat.group = "g";
    heartbeat.model = model;
    Subscription subscription = Subscription::FromExpression("T", expression, "TAG").value();
    subscription.version = version;
    heartbeat.subscriptions.push_back(std::move(subscription));
    parts_.online.Register(heartbeat, "c" + std::to_string(client),
                           std::make_shared<FakeClient>(client), false);
  }

  BrokerParts parts_;
  PullOptions options_;
  PullService service_{options_,      parts_.identity, parts_.topics, parts_.groups,
                       parts_.online, parts_.offsets,  parts_.store,  parts_.clock};
};

TEST_F(PullServiceTest, GivesWhatThereIsAndWhereToGoOn) {
  Store("a");
  Store("b");
  const PullOutcome outcome = Pull(From(0));
  ExpectNext(outcome, PullStatus::kFound, "FOUND", 2);
  EXPECT_EQ(outcome.min_offset, 0);
  EXPECT_EQ(outcome.max_offset, 2);
  EXPECT_THAT(Bodies(outcome), ElementsAre("a", "b"));
}

TEST_F(PullServiceTest, RefusalsComeInOrderWithTheTextsUsersKnow) {
  const std::string see =
      "\nSee https://rocketmq.apache.org/docs/bestPractice/06FAQ for further details.";
  PullRequest request = From(0);
  request.group = "bad group!";
  request.topic = "Missing";
  ExpectRefused(request, PullStatus::kGroupMissing,
                "subscription group [bad group!] does not exist, " + see);
  request.group = "off";
  GroupConfig off;
  off.name = "off";
  off.consume_enable = false;
  ASSERT_TRUE(parts_.groups.Put(off).ok());
  ExpectRefused(request, PullStatus::kForbidden, "subscription group no permission, off", 2);
  request.group = "g";
  ExpectRefused(request, PullStatus::kTopicMissing,
                "topic[Missing] not exist, apply first please! " + see);
  parts_.AddTopic("WriteOnly", 1, kPermWrite);
  request.topic = "WriteOnly";
  ExpectRefused(request, PullStatus::kForbidden,
                "the topic[WriteOnly] pulling message is forbidden", 3);
  request.topic = "T";
  for (const std::int32_t queue : {9, -1}) {
    request.queue_id = queue;
    ExpectRefused(request, PullStatus::kInvalid,
                  "queueId[" + std::to_string(queue) +
                      "] is illegal, topic:[T] topicConfig.readQueueNums:[1] "
                      "consumer:[/127.0.0.1:39790]");
  }
  request.queue_id = 0;
  request.sys_flag = 0;
  ExpectRefused(request, PullStatus::kNotSubscribed, "the consumer's group info not exist" + see);
  request.sys_flag = kPullFlagSubscription;
  request.expression_type = "SQL92";
  request.expression = "a > 3";
  ExpectRefused(request, PullStatus::kUnsupported,
                "The broker does not support consumer to filter message by SQL92");
  request.expression_type = "TAG";
  request.expression = "||";
  EXPECT_EQ(Pull(request).status, PullStatus::kBadExpression);
}

TEST_F(PullServiceTest, ABrokerThatIsNotReadableRefusesFirst) {
  PullOptions options;
  options.broker_perm = kPermWrite;
  PullService closed(options, parts_.identity, parts_.topics, parts_.groups, parts_.online,
                     parts_.offsets, parts_.store, parts_.clock);
  const PullOutcome outcome = closed.Pull(From(0), PullService::Pass::kFirst);
  EXPECT_EQ(outcome.remark, "the broker[127.0.0.1] pulling message is forbidden");
  EXPECT_EQ(outcome.forbidden_type, 1);

  options.broker_perm = kPermRead;
  options.lite_pull = false;
  PullService no_lite(options, parts_.identity, parts_.topics, parts_.groups, parts_.online,
                      parts_.offsets, parts_.store, parts_.clock);
  PullRequest lite = From(0);
  lite.lite = true;
  EXPECT_EQ(no_lite.Pull(lite, PullService::Pass::kFirst).remark,
            "the broker[127.0.0.1] for lite pull consumer is forbidden");
}

TEST_F(PullServiceTest, OffsetsOutsideTheQueueAreCorrected) {
  ExpectNext(Pull(From(0)), PullStatus::kNothingNew, "NO_MESSAGE_IN_QUEUE", 0);
  ExpectNext(Pull(From(5)), PullStatus::kOffsetMoved, "NO_MESSAGE_IN_QUEUE", 0);
  for (int i = 0; i < 9; ++i) Store("m");
  ExpectNext(Pull(From(9)), PullStatus::kNothingNew, "OFFSET_OVERFLOW_ONE", 9);
  ExpectNext(Pull(From(10)), PullStatus::kOffsetMoved, "OFFSET_OVERFLOW_BADLY", 9);
  ExpectNext(Pull(From(1009)), PullStatus::kOffsetMoved, "OFFSET_OVERFLOW_BADLY", 9);
  ExpectNext(Pull(From(-3)), PullStatus::kOffsetMoved, "OFFSET_TOO_SMALL", 0);
  parts_.store.queues.at({"T", 0}).min = 4;
  const PullOutcome beyond = Pull(From(1009));
  ExpectNext(beyond, PullStatus::kOffsetMoved, "OFFSET_OVERFLOW_BADLY", 9);
  EXPECT_EQ(beyond.min_offset, 4);
  ExpectNext(Pull(From(0)), PullStatus::kOffsetMoved, "OFFSET_TOO_SMALL", 4);
}

TEST_F(PullServiceTest, PullingCreatesNoQueue) {
  Pull(From(0));
  EXPECT_THAT(parts_.store.queues, IsEmpty());
}

TEST_F(PullServiceTest, CountIsBoundedByTheRequestAndTheBroker) {
  for (int i = 0; i < 50; ++i) Store("m");
  PullRequest request = From(0);
  request.max_messages = 4;
  EXPECT_THAT(Pull(request).records, SizeIs(4));
  request.max_messages = 0;
  const PullOutcome one = Pull(request);
  EXPECT_THAT(one.records, SizeIs(1)) << "none asked for still gives one";
  EXPECT_EQ(one.next_offset, 1);
  request.max_messages = 1000;
  EXPECT_THAT(Pull(request).records, SizeIs(32));
}

TEST_F(PullServiceTest, BytesAreBoundedButOneMessageAlwaysGoes) {
  Store("small");
  Store(std::string(300 * 1024, 'z'));
  Store("small");
  EXPECT_EQ(Pull(From(0)).next_offset, 1);
  const PullOutcome large = Pull(From(1));
  EXPECT_THAT(large.records, SizeIs(1));
  EXPECT_EQ(large.next_offset, 2);
  PullRequest request = From(0);
  Store("s");
  request.offset = 2;
  request.max_bytes = 110;
  EXPECT_THAT(Pull(request).records, SizeIs(1)) << "maxMsgBytes cuts earlier";
}

TEST_F(PullServiceTest, TagsAreFilteredAndTheOffsetMovesPastWhatDoesNotFit) {
  Store("1", "A");
  Store("2", "B");
  Store("3", "A");
  Store("4");
  const PullOutcome outcome = Pull(From(0, "A"));
  EXPECT_THAT(Bodies(outcome), ElementsAre("1", "3"));
  EXPECT_EQ(outcome.next_offset, 4);
  ExpectNext(Pull(From(0, "C")), PullStatus::kRetryAtOnce, "NO_MATCHED_MESSAGE", 4);
}

TEST_F(PullServiceTest, ATagOfTheSameHashIsForTheClientToSortOut) {
  for (int i = 0; i < 5; ++i) Store("x", "BB");
  const PullOutcome outcome = Pull(From(0, "Aa"));
  EXPECT_THAT(outcome.records, SizeIs(5));
  EXPECT_EQ(outcome.next_offset, 5);
}

TEST_F(PullServiceTest, OneCallLooksAtEightHundredEntries) {
  for (int i = 0; i < 1000; ++i) Store("x", "B");
  ExpectNext(Pull(From(0, "A")), PullStatus::kRetryAtOnce, "NO_MATCHED_MESSAGE", 800);
  PullRequest request = From(0, "A");
  request.max_messages = 900;
  EXPECT_EQ(Pull(request).next_offset, 900);
}

TEST_F(PullServiceTest, RecordsThatAreGoneAreSteppedOver) {
  Store("1");
  Store("2");
  Store("3");
  auto& records = parts_.store.records;
  records.erase(records.begin());
  const PullOutcome outcome = Pull(From(0));
  EXPECT_THAT(Bodies(outcome), ElementsAre("2", "3"));
  records.clear();
  ExpectNext(Pull(From(0)), PullStatus::kRetryAtOnce, "MESSAGE_WAS_REMOVING", 3);
}

TEST_F(PullServiceTest, ForeignBytesBehindAnEntryAreNeverServed) {
  parts_.AddTopic("Other", 1);
  Store("mine");
  Store("theirs", {}, "Other");
  auto& entries = parts_.store.queues.at({"T", 0}).entries;
  // As a crash leaves it: an entry beyond the log's true end, where another topic was written
  // later; and one that names a message of its own queue at the wrong place.
  entries.push_back(parts_.store.queues.at({"Other", 0}).entries[0]);
  entries.push_back(entries[0]);
  const PullOutcome outcome = Pull(From(0));
  EXPECT_THAT(Bodies(outcome), ElementsAre("mine"));
  EXPECT_EQ(outcome.next_offset, 3);
}

TEST_F(PullServiceTest, TheOffsetInTheRequestIsCommittedInTheFirstPassOnly) {
  Store("1");
  PullRequest request = From(0);
  request.commit_offset = 3;
  Pull(request);
  EXPECT_EQ(parts_.offsets.Find("g", "T", 0), std::nullopt) << "without the flag it means nothing";
  request.sys_flag |= kPullFlagCommitOffset;
  service_.Pull(request, PullService::Pass::kAgain);
  EXPECT_EQ(parts_.offsets.Find("g", "T", 0), std::nullopt);
  Pull(request);
  EXPECT_EQ(parts_.offsets.Find("g", "T", 0), 3);
  request.commit_offset = -1;
  Pull(request);
  EXPECT_EQ(parts_.offsets.Find("g", "T", 0), 3);
}

TEST_F(PullServiceTest, MessagesGivenAreCounted) {
  BrokerStats stats(parts_.clock);
  PullService service(options_, parts_.identity, parts_.topics, parts_.groups, parts_.online,
                      parts_.offsets, parts_.store, parts_.clock, &stats);
  Store("1");
  Store("2");
  service.Pull(From(0), PullService::Pass::kFirst);
  service.Pull(From(2), PullService::Pass::kFirst);
  EXPECT_EQ(stats.got(), 2);
}

// Pulls without a subscription of their own.

class HeartbeatPullTest : public PullServiceTest {
 protected:
  HeartbeatPullTest() {
    Store("1", "A");
    Store("2", "B");
  }
  static PullRequest Plain(std::uint64_t client = 1) {
    PullRequest request = From(0);
    request.sys_flag = 0;
    request.expression = {};
    request.client = client;
    request.subscription_version = 100;
    return request;
  }
};

TEST_F(HeartbeatPullTest, EachClientIsFilteredByItsOwnSubscription) {
  Subscribe(1, "A");
  Subscribe(2, "B");
  EXPECT_THAT(Bodies(Pull(Plain(1))), ElementsAre("1"));
  EXPECT_THAT(Bodies(Pull(Plain(2))), ElementsAre("2"));
}

TEST_F(HeartbeatPullTest, TopicsThatTheClientDoesNotSubscribeAreRefused) {
  Subscribe(1, "A");
  parts_.AddTopic("Other", 1);
  PullRequest request = Plain();
  request.topic = "Other";
  ExpectRefused(request, PullStatus::kNotSubscribed,
                "the consumer's subscription not exist\nSee "
                "https://rocketmq.apache.org/docs/bestPractice/06FAQ for further details.");
}

TEST_F(HeartbeatPullTest, ASubscriptionThatDiffersInItsVersionAloneIsServed) {
  Subscribe(1, "A", 100);
  PullRequest request = Plain();
  request.subscription_version = 200;
  request.expression = "A";
  EXPECT_THAT(Bodies(Pull(request)), ElementsAre("1"));
}

TEST_F(HeartbeatPullTest, ANewerSubscriptionIsServedEverythingUntilItIsKnown) {
  Subscribe(1, "A", 100);
  PullRequest request = Plain();
  request.subscription_version = 200;
  EXPECT_THAT(Bodies(Pull(request)), ElementsAre("1", "2")) << "the client filters by its own tags";
  request.subscription_version = 0;
  EXPECT_THAT(Bodies(Pull(request)), ElementsAre("1")) << "Go sends 0";
}

TEST_F(HeartbeatPullTest, GroupsThatMayNotBroadcastAreRefused) {
  GroupConfig config;
  config.name = "g";
  config.consume_broadcast_enable = false;
  ASSERT_TRUE(parts_.groups.Put(config).ok());
  Subscribe(1, "A", 100, MessageModel::kBroadcasting);
  ExpectRefused(Plain(), PullStatus::kForbidden,
                "the consumer group[g] can not consume by broadcast way", 4);
}

}  // namespace
}  // namespace apogee
