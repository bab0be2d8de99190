#include "broker/send_service.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/java_hash.h"
#include "broker/fake/broker_parts.h"
#include "message/batch.h"
#include "message/properties.h"

namespace apogee {
namespace {

using std::string_literals::operator""s;
using testing::EndsWith;
using testing::HasSubstr;
using testing::SizeIs;
using testing::StartsWith;

constexpr std::string_view kIllegal =
    "the message is illegal, maybe msg body or properties length not matched. msg body length "
    "limit 4194304B, msg properties length limit 32KB.";

class SendServiceTest : public testing::Test {
 protected:
  SendServiceTest() { parts_.AddTopic("T", 1); }

  static SendRequest To(std::string_view topic, std::string_view body = "x") {
    SendRequest request;
    request.topic = topic;
    request.default_queues = 4;
    request.body = body;
    request.born_host = Host::Parse("127.0.0.1:40312").value();
    request.client_address = "127.0.0.1:40312";
    return request;
  }
  SendOutcome Send(const SendRequest& request) { return service_.Send(request); }

  void ExpectRefused(const SendRequest& request, SendStatus status, std::string_view remark) {
    const LogOffset before = parts_.store.tail();
    const SendOutcome outcome = Send(request);
    EXPECT_EQ(outcome.status, status);
    EXPECT_THAT(outcome.remark, HasSubstr(remark));
    EXPECT_EQ(parts_.store.tail(), before) << "nothing may be stored";
  }

  BrokerParts parts_;
  UniqueKeyMaker keys_{parts_.identity.store_host, 1, 2};
  SendOptions options_;
  SendService service_{options_,     parts_.identity, parts_.topics, parts_.groups, parts_.locks,
                       parts_.store, keys_,           parts_.clock,  parts_.random};
};

TEST_F(SendServiceTest, StoresTheMessageWithTheBrokersProperties) {
  SendRequest request = To("T", "hello");
  request.properties = "TAGS\1TagA\2UNIQ_KEY\1U1\2WAIT\1true\2";
  request.flag = 7;
  request.born_time_ms = 1234;
  const SendOutcome outcome = Send(request);
  EXPECT_EQ(outcome.status, SendStatus::kOk);
  EXPECT_EQ(outcome.unique_key, "U1");
  EXPECT_EQ(outcome.queue_offset, 0);
  EXPECT_FALSE(outcome.parked);
  EXPECT_EQ(outcome.message_ids, OffsetMessageId(parts_.identity.store_host, LogOffset(0)));

  const RecordView record = parts_.store.Newest({"T", 0});
  EXPECT_EQ(record.body, "hello");
  EXPECT_EQ(record.flag, 7);
  EXPECT_EQ(record.born_time_ms, 1234);
  EXPECT_EQ(record.born_host.port, 40312);
  EXPECT_EQ(record.properties,
            "TAGS\1TagA\2UNIQ_KEY\1U1\2WAIT\1true\2MSG_REGION\1DefaultRegion\2TRACE_ON\1true\2"
            "CLUSTER\1DefaultCluster\2");
}

TEST_F(SendServiceTest, MakesAUniqueKeyWhenThereIsNone) {
  const SendOutcome outcome = Send(To("T"));
  EXPECT_THAT(outcome.unique_key, SizeIs(32));
  EXPECT_EQ(FindProperty(parts_.store.Newest({"T", 0}).properties, "UNIQ_KEY"), outcome.unique_key);
}

TEST_F(SendServiceTest, UncleanPropertiesAreWrittenAnew) {
  SendRequest request = To("T");
  request.properties = "POP_CK\1a\2garbage\2MSG_REGION\1else\2UNIQ_KEY\1U1\2TAGS\1TagA";
  EXPECT_EQ(Send(request).status, SendStatus::kOk);
  EXPECT_EQ(parts_.store.Newest({"T", 0}).properties,
            "UNIQ_KEY\1U1\2TAGS\1TagA\2MSG_REGION\1DefaultRegion\2TRACE_ON\1true\2"
            "CLUSTER\1DefaultCluster\2");
}

TEST_F(SendServiceTest, RefusesTopicNamesWithTheTextsUsersKnow) {
  ExpectRefused(To(""), SendStatus::kInvalid, "The specified topic is blank.");
  ExpectRefused(To("bad name!"), SendStatus::kInvalid,
                "The specified topic: bad name!, contains illegal characters, allowing only "
                "^[%|a-zA-Z0-9_-]+$");
  const std::string long_name(128, 't');
  ExpectRefused(To(long_name), SendStatus::kInvalid,
                "The specified topic: " + long_name + ", is longer than topic max length: 127");
  ExpectRefused(To("SCHEDULE_TOPIC_XXXX"), SendStatus::kForbidden,
                "Sending message to topic[SCHEDULE_TOPIC_XXXX] is forbidden.");
}

TEST_F(SendServiceTest, TopicsOf127CharactersAndRetryTopicsOf255AreTaken) {
  EXPECT_EQ(Send(To(std::string(126, 't'))).status, SendStatus::kOk);
  EXPECT_EQ(Send(To(std::string(127, 't'))).status, SendStatus::kOk);
  EXPECT_EQ(parts_.topics.Find(std::string(128, 't')), nullptr);
  const std::string dead = "%DLQ%" + std::string(250, 'g');
  EXPECT_EQ(Send(To(dead)).status, SendStatus::kOk);
}

TEST_F(SendServiceTest, UnknownTopicIsMadeAfterItsTemplate) {
  EXPECT_EQ(Send(To("New")).status, SendStatus::kOk);
  ASSERT_NE(parts_.topics.Find("New"), nullptr);
  EXPECT_EQ(parts_.topics.Find("New")->write_queues, 4);

  SendRequest request = To("Other");
  request.default_topic = "NoSuchDefault";
  ExpectRefused(request, SendStatus::kTopicMissing,
                "topic[Other] not exist, apply first please!\nSee "
                "https://rocketmq.apache.org/docs/bestPractice/06FAQ for further details.");
}

TEST_F(SendServiceTest, ATopicWithoutQueuesFailsCleanly) {
  for (const std::int32_t wanted : {0, -5}) {
    SendRequest request = To("Zero" + std::to_string(-wanted));
    const std::string topic = "Zero" + std::to_string(-wanted);
    request.topic = topic;
    request.default_queues = wanted;
    request.queue_id = -1;
    ExpectRefused(request, SendStatus::kInvalid, "request queueId[-1] is illegal, TopicConfig [");
    ASSERT_NE(parts_.topics.Find(topic), nullptr);
    EXPECT_EQ(parts_.topics.Find(topic)->write_queues, 0);
  }
}

TEST_F(SendServiceTest, QueueNumbersAreChecked) {
  SendRequest request = To("T");
  request.queue_id = 9;
  ExpectRefused(request, SendStatus::kInvalid,
                "request queueId[9] is illegal, TopicConfig [topicName=T, readQueueNums=1, "
                "writeQueueNums=1, perm=RW-, topicFilterType=SINGLE_TAG, topicSysFlag=0, "
                "order=false, attributes={}] Producer: 127.0.0.1:40312");
}

TEST_F(SendServiceTest, NegativeQueueNumberMeansAnyQueue) {
  parts_.AddTopic("Wide", 4);
  SendRequest request = To("Wide");
  request.queue_id = -1;
  std::set<std::int32_t> seen;
  for (int i = 0; i < 100; ++i) seen.insert(Send(request).queue_id);
  EXPECT_EQ(seen, (std::set<std::int32_t>{0, 1, 2, 3}));
}

TEST_F(SendServiceTest, ATopicsOwnPermissionIsNotAsked) {
  parts_.AddTopic("ReadOnly", 1, kPermRead);
  EXPECT_EQ(Send(To("ReadOnly")).status, SendStatus::kOk);
}

TEST_F(SendServiceTest, AnEmptyBodyIsRefused) {
  ExpectRefused(To("T", ""), SendStatus::kFailed, "no body");
}

TEST_F(SendServiceTest, SizesAreBounded) {
  const std::string four_mib(4 * 1024 * 1024, 'z');
  EXPECT_EQ(Send(To("T", four_mib)).status, SendStatus::kOk);
  ExpectRefused(To("T", four_mib + "z"), SendStatus::kIllegalMessage, kIllegal);

  SendRequest request = To("T");
  const std::string too_long = "k\1" + std::string(32766, 'v') + "\2";
  request.properties = too_long;
  ExpectRefused(request, SendStatus::kIllegalMessage, kIllegal);
}

TEST_F(SendServiceTest, PropertiesMayFillWhatTheBrokersOwnLeave) {
  const std::size_t ours =
      "MSG_REGION\1DefaultRegion\2TRACE_ON\1true\2CLUSTER\1DefaultCluster\2"s.size();
  const std::string key = "UNIQ_KEY\1U\2";
  const std::string fits =
      key + "k\1" + std::string(kPropertiesBytesMax - ours - key.size() - 3, 'v') + "\2";
  SendRequest request = To("T");
  request.properties = fits;
  EXPECT_EQ(Send(request).status, SendStatus::kOk);
  const std::string one_more = fits.substr(0, fits.size() - 1) + "v\2";
  request.properties = one_more;
  ExpectRefused(request, SendStatus::kIllegalMessage,
                "The properties have 32768 B, 62 B of them added by the broker.");
}

TEST_F(SendServiceTest, WhatThisVersionCannotDeliverIsRefusedAndNotStored) {
  SendRequest request = To("T");
  request.properties = "DELAY\0012\2";
  ExpectRefused(request, SendStatus::kIllegalMessage, "delayed messages are not served");
  request.properties = "TIMER_DELAY_SEC\0012\2";
  ExpectRefused(request, SendStatus::kIllegalMessage, "timer messages are not served");
  request.properties =
      "TIMER_DELAY_SEC\1"
      "9223372036854775807\2";
  ExpectRefused(request, SendStatus::kIllegalMessage, "timer message illegal, the delay time");
  request.properties = "TRAN_MSG\1true\2";
  ExpectRefused(request, SendStatus::kForbidden,
                "the broker[127.0.0.1] sending transaction message is forbidden");
  request.properties = "DELAY\1abc\2";
  ExpectRefused(request, SendStatus::kFailed, "For input string: \"abc\"");
  request.properties = "INNER_NUM\0012\2";
  ExpectRefused(request, SendStatus::kIllegalMessage, kIllegal);
}

TEST_F(SendServiceTest, ARetryOfAnUnknownGroupIsRefusedWhenGroupsAreNotMade) {
  BrokerParts parts(false);
  parts.AddTopic("%RETRY%g", 1);
  SendService service(options_, parts.identity, parts.topics, parts.groups, parts.locks,
                      parts.store, keys_, parts.clock, parts.random);
  const SendOutcome outcome = service.Send(To("%RETRY%g"));
  EXPECT_EQ(outcome.status, SendStatus::kGroupMissing);
  EXPECT_EQ(outcome.remark,
            "subscription group not exist, g \nSee "
            "https://rocketmq.apache.org/docs/bestPractice/06FAQ for further details.");
}

TEST_F(SendServiceTest, RetriesOverTheLimitGoToTheDeadLetters) {
  SendRequest request = To("%RETRY%g");
  request.properties = "DELAY\0013\2UNIQ_KEY\1U\2";
  request.reconsume_times = 17;
  const SendOutcome outcome = Send(request);
  ASSERT_EQ(outcome.status, SendStatus::kOk) << outcome.remark;
  const RecordView record = parts_.store.Newest({"%DLQ%g", 0});
  EXPECT_EQ(record.topic, "%DLQ%g");
  EXPECT_EQ(FindProperty(record.properties, "DELAY"), "-1");
  EXPECT_EQ(record.reconsume_times, 17);
  EXPECT_EQ(parts_.topics.Find("%DLQ%g")->write_queues, 1);
}

TEST_F(SendServiceTest, TheSendersLimitOverridesTheGroups) {
  SendRequest request = To("%RETRY%g");
  request.reconsume_times = 3;
  request.max_reconsume_times = 2;
  EXPECT_EQ(Send(request).status, SendStatus::kOk);
  EXPECT_TRUE(parts_.store.queues.contains({"%DLQ%g", 0}));
}

TEST_F(SendServiceTest, RetriesOfAGroupThatHoldsALockGoToTheDeadLetters) {
  SendRequest request = To("%RETRY%g");
  EXPECT_EQ(Send(request).status, SendStatus::kOk);
  EXPECT_TRUE(parts_.store.queues.contains({"%RETRY%g", 0}));
  parts_.locks.Lock("g", "client", {{"T", 0}});
  EXPECT_EQ(Send(request).status, SendStatus::kOk);
  EXPECT_TRUE(parts_.store.queues.contains({"%DLQ%g", 0}));
}

TEST_F(SendServiceTest, AReadOnlyBrokerRefusesOrderedTopicsAlone) {
  TopicConfig ordered;
  ordered.name = "Ordered";
  ordered.order = true;
  bool changed = false;
  ASSERT_TRUE(parts_.topics.Put(ordered, &changed).ok());
  SendOptions options;
  options.broker_perm = kPermRead;
  SendService service(options, parts_.identity, parts_.topics, parts_.groups, parts_.locks,
                      parts_.store, keys_, parts_.clock, parts_.random);
  EXPECT_EQ(service.Send(To("Ordered")).remark,
            "the broker[127.0.0.1] sending message is forbidden");
  EXPECT_EQ(service.Send(To("T")).status, SendStatus::kOk);
}

TEST_F(SendServiceTest, TheStoresRefusalIsNamedAlone) {
  parts_.store.append_error = Error(ErrorCode::kDiskFull, "The disk is full: 0.97 used.");
  ExpectRefused(To("T"), SendStatus::kUnavailable,
                "service not available now. The disk is full: 0.97 used.");
}

TEST_F(SendServiceTest, UnderSyncFlushASendIsParkedUnlessItDoesNotWait) {
  parts_.store.sync_flush = true;
  SendRequest request = To("T");
  request.properties = "WAIT\1false\2";
  EXPECT_FALSE(Send(request).parked);
  request.properties = {};

  for (const auto& [durability, status] :
       {std::pair(Durability::kFlushed, SendStatus::kOk),
        std::pair(Durability::kFlushTimeout, SendStatus::kFlushTimeout),
        std::pair(Durability::kFailed, SendStatus::kUnavailable)}) {
    SendOutcome outcome = Send(request);
    ASSERT_TRUE(outcome.parked);
    std::optional<SendOutcome> answer;
    service_.AwaitDurable(std::move(outcome),
                          [&](SendOutcome durable) { answer = std::move(durable); });
    EXPECT_FALSE(answer.has_value());
    parts_.store.waiting_for_flush.back()(durability);
    ASSERT_TRUE(answer.has_value());
    EXPECT_EQ(answer->status, status);
    EXPECT_EQ(answer->message_ids.empty(), durability == Durability::kFailed);
  }
}

TEST_F(SendServiceTest, StoredMessagesAndRefusedAppendsAreCounted) {
  BrokerStats stats(parts_.clock);
  SendService service(options_, parts_.identity, parts_.topics, parts_.groups, parts_.locks,
                      parts_.store, keys_, parts_.clock, parts_.random, &stats);
  service.Send(To("T"));
  EXPECT_EQ(stats.put(), 1);
  EXPECT_EQ(stats.put_bytes(), parts_.store.tail().value());
  parts_.store.append_error = Error(ErrorCode::kIo, "no");
  service.Send(To("T"));
  EXPECT_EQ(stats.put(), 1);
  EXPECT_EQ(stats.put_failed(), 1);
}

// Batches.

std::string Item(std::string_view body, std::string_view properties, std::int32_t flag = 0) {
  std::string item;
  AppendBigEndian(item, static_cast<std::int32_t>(22 + body.size() + properties.size()));
  AppendBigEndian(item, std::int32_t{0});
  AppendBigEndian(item, std::int32_t{0});
  AppendBigEndian(item, flag);
  AppendBigEndian(item, static_cast<std::int32_t>(body.size()));
  item.append(body);
  AppendBigEndian(item, static_cast<std::uint16_t>(properties.size()));
  item.append(properties);
  return item;
}

SendRequest BatchTo(std::string_view topic, std::string_view body) {
  SendRequest request;
  request.topic = topic;
  request.default_queues = 4;
  request.batch = true;
  request.body = body;
  return request;
}

TEST_F(SendServiceTest, ABatchIsStoredMessageByMessageWithItsOwnPropertiesAlone) {
  const std::string body =
      Item("one", "TAGS\1TagA\2", 1) + Item("two", "TAGS\1TagB\2", 2) + Item("", "", 3);
  SendRequest request = BatchTo("T", body);
  request.properties = "UNIQ_KEY\1BatchKey\2WAIT\1true\2";
  const SendOutcome outcome = Send(request);
  ASSERT_EQ(outcome.status, SendStatus::kOk) << outcome.remark;
  EXPECT_EQ(outcome.queue_offset, 0);
  EXPECT_EQ(outcome.unique_key, "BatchKey");
  EXPECT_EQ(std::ranges::count(outcome.message_ids, ','), 2);
  ASSERT_THAT(parts_.store.records, SizeIs(3));
  std::vector<std::string> properties;
  for (const auto& [at, bytes] : parts_.store.records) {
    properties.emplace_back(DecodeRecord(*bytes, CrcCheck::kVerify)->properties);
  }
  EXPECT_THAT(properties, testing::ElementsAre("TAGS\1TagA\2", "TAGS\1TagB\2", ""));
}

TEST_F(SendServiceTest, ABatchWithoutAKeyOfItsOwnHasNone) {
  const std::string body = Item("one", "TAGS\1A\2");
  EXPECT_EQ(Send(BatchTo("T", body)).unique_key, "");
}

TEST_F(SendServiceTest, AnUnterminatedTagInABatchStaysTheTag) {
  const std::string body = Item("one", "k\1v\2TAGS\1TagA");
  ASSERT_EQ(Send(BatchTo("T", body)).status, SendStatus::kOk);
  const RecordView record = parts_.store.Newest({"T", 0});
  EXPECT_EQ(FindProperty(record.properties, "TAGS"), "TagA");
  EXPECT_EQ(parts_.store.queues.at({"T", 0}).entries[0].tag_code, JavaStringHash("TagA"));
}

TEST_F(SendServiceTest, OneBadMessageRefusesTheWholeBatch) {
  const std::string good = Item("good", "TAGS\1A\2");
  ExpectRefused(BatchTo("T", good + Item("bad", std::string(32768, 'p')) + good),
                SendStatus::kIllegalMessage, "properties");
  ExpectRefused(BatchTo("T", good + Item("bad", "DELAY\0012\2")), SendStatus::kIllegalMessage,
                "delayed messages are not served by this version (DELAY 2); nothing was stored "
                "(message 2 of 2 in the batch)");
  ExpectRefused(BatchTo("T", "garbage"), SendStatus::kIllegalMessage, kIllegal);
  ExpectRefused(BatchTo("T", ""), SendStatus::kIllegalMessage, kIllegal);
  EXPECT_EQ(Send(BatchTo("T", Item("ok", std::string(32765, 'p') + "\1v"))).status, SendStatus::kOk)
      << "32767 bytes are the limit itself";
}

TEST_F(SendServiceTest, BatchesDoNotGoToRetryTopics) {
  ExpectRefused(BatchTo("%RETRY%g", "garbage"), SendStatus::kIllegalMessage,
                "batch request does not support retry group %RETRY%g");
}

}  // namespace
}  // namespace apogee
