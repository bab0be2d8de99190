// Sends, pulls and queries through the front door, with services over a store in memory. Texts and
// field sets are those that Apache 5.5.0 was recorded with.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <initializer_list>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "broker/fake/broker_parts.h"
#include "endpoint/remoting/broker_handler.h"
#include "endpoint/remoting/channel_client.h"
#include "endpoint/remoting/fake/fake_channel.h"
#include "endpoint/remoting/pull_handler.h"
#include "endpoint/remoting/query_handler.h"
#include "endpoint/remoting/send_handler.h"
#include "message/message_id.h"

namespace apogee {
namespace {

using testing::HasSubstr;
using testing::UnorderedElementsAre;
using FieldList = std::initializer_list<std::pair<const char*, const char*>>;

class MessageHandlersTest : public testing::Test {
 protected:
  // A channel and the client kept with it hold each other until the channel closes.
  ~MessageHandlersTest() override { channel_->attachment().reset(); }

  MessageHandlersTest() {
    parts_.AddTopic("ErrTopic", 1);
    parts_.store.SetArrivalListener(&polls_);
    sends_.RegisterWith(broker_);
    pulls_.RegisterWith(broker_);
    queries_.RegisterWith(broker_);
  }

  std::shared_ptr<AnswerBox> AskFor(std::int32_t code, FieldList fields, std::string_view body = {},
                                    std::int32_t flag = 0) {
    Command command;
    command.code = code;
    command.flag = flag;
    command.version = kOurVersion;
    for (const auto& [name, value] : fields) command.fields.Add(name, value);
    command.body = body;
    return Ask(broker_, channel_, command);
  }
  Reply Answer(std::int32_t code, FieldList fields, std::string_view body = {}) {
    const std::shared_ptr<AnswerBox> box = AskFor(code, fields, body);
    EXPECT_TRUE(box->answer.has_value()) << "no answer";
    return box->answer ? std::move(*box->answer) : Reply::Of(-1);
  }
  Reply Send(std::string_view body = "x") {
    return Answer(310, {{"b", "ErrTopic"}, {"c", "TBW102"}, {"d", "4"}, {"e", "0"}, {"i", ""}},
                  body);
  }
  std::shared_ptr<AnswerBox> PullFrom(const char* offset, const char* sys_flag = "4",
                                      const char* expression = "*") {
    return AskFor(11, {{"consumerGroup", "CG_err"},
                       {"topic", "ErrTopic"},
                       {"queueId", "0"},
                       {"queueOffset", offset},
                       {"maxMsgNums", "4"},
                       {"sysFlag", sys_flag},
                       {"commitOffset", "0"},
                       {"suspendTimeoutMillis", "1000"},
                       {"subscription", expression},
                       {"subVersion", "1"},
                       {"expressionType", "TAG"}});
  }
  static std::set<std::string> Names(const Reply& reply) {
    std::set<std::string> names;
    for (const auto& [name, value] : reply.fields) names.emplace(name);
    return names;
  }

  BrokerParts parts_;
  ManualWorkers workers_;
  UniqueKeyMaker keys_{parts_.identity.store_host, 1, 2};
  SendService send_{{},           parts_.identity, parts_.topics, parts_.groups, parts_.locks,
                    parts_.store, keys_,           parts_.clock,  parts_.random};
  PullService pull_{
      {},           parts_.identity, parts_.topics, parts_.groups, parts_.online, parts_.offsets,
      parts_.store, parts_.clock};
  LongPoll polls_{{}, parts_.store, parts_.clock, workers_};
  QueueQuery query_{parts_.store};
  BrokerHandler broker_;
  VipHandler vip_{broker_};
  SendHandler sends_{send_, parts_.identity, parts_.clock};
  PullHandler pulls_{pull_, polls_};
  QueryHandler queries_{query_};
  std::shared_ptr<FakeChannel> channel_ = std::make_shared<FakeChannel>(1);
};

TEST_F(MessageHandlersTest, ASendIsAnsweredWithItsPlace) {
  const Reply reply = Send();
  EXPECT_EQ(reply.code, 0);
  EXPECT_EQ(reply.remark, "");
  EXPECT_THAT(Names(reply), UnorderedElementsAre("queueId", "transactionId", "msgId", "TRACE_ON",
                                                 "MSG_REGION", "queueOffset"));
  EXPECT_EQ(reply.fields.Text("msgId"), OffsetMessageId(parts_.identity.store_host, LogOffset(0)));
  EXPECT_EQ(reply.fields.Text("MSG_REGION"), "DefaultRegion");
  EXPECT_EQ(parts_.store.Newest({"ErrTopic", 0}).born_host.port, 40312);
}

TEST_F(MessageHandlersTest, TheLongHeaderIsReadAsTheShortOne) {
  const Reply reply = Answer(10,
                             {{"producerGroup", "PG"},
                              {"topic", "ErrTopic"},
                              {"defaultTopic", "TBW102"},
                              {"defaultTopicQueueNums", "4"},
                              {"queueId", "0"},
                              {"sysFlag", "1"},
                              {"bornTimestamp", "17"},
                              {"flag", "5"},
                              {"properties", "TAGS\1A\2"},
                              {"reconsumeTimes", "0"},
                              {"unitMode", "false"}},
                             "v1");
  ASSERT_EQ(reply.code, 0) << reply.remark;
  const RecordView record = parts_.store.Newest({"ErrTopic", 0});
  EXPECT_EQ(record.born_time_ms, 17);
  EXPECT_EQ(record.flag, 5);
  EXPECT_EQ(record.sys_flag, 1);
  EXPECT_EQ(record.body, "v1");
}

TEST_F(MessageHandlersTest, RefusedSendsCarryRegionAndTrace) {
  const Reply reply = Answer(310, {{"b", "bad name!"}, {"e", "0"}}, "x");
  EXPECT_EQ(reply.code, 29);
  EXPECT_THAT(Names(reply), UnorderedElementsAre("TRACE_ON", "MSG_REGION"));
  EXPECT_EQ(Answer(310, {{"b", "ErrTopic"}}, "x").code, 1);
  EXPECT_EQ(Answer(310, {{"e", "0"}}, "x").code, 1);
  EXPECT_EQ(Answer(310, {}, "x").code, 1);
  const Reply text = Answer(310, {{"b", "ErrTopic"}, {"e", "abc"}}, "x");
  EXPECT_EQ(text.code, 1);
  EXPECT_THAT(text.remark, HasSubstr("For input string: \"abc\""));
  EXPECT_EQ(Answer(310, {{"b", "T2"}, {"c", "NoSuchDefault"}, {"e", "0"}}, "x").code, 17);
  EXPECT_EQ(Answer(310, {{"b", "SELF_TEST_TOPIC"}, {"e", "0"}}, "x").code, 16);
  EXPECT_EQ(Answer(320, {{"b", "%RETRY%g"}, {"e", "0"}, {"m", "true"}}, "garbage").code, 13);
}

TEST_F(MessageHandlersTest, OnewaySendsAreStoredAndNotAnswered) {
  const auto box = AskFor(310, {{"b", "ErrTopic"}, {"e", "0"}}, "x", kFlagOneway);
  EXPECT_FALSE(box->answer.has_value());
  EXPECT_EQ(query_.MaxOffset({"ErrTopic", 0}), 1);
}

TEST_F(MessageHandlersTest, ParkedSendsAreAnsweredWhenDurable) {
  parts_.store.sync_flush = true;
  const auto flushed = AskFor(310, {{"b", "ErrTopic"}, {"e", "0"}}, "x");
  const auto late = AskFor(310, {{"b", "ErrTopic"}, {"e", "0"}}, "x");
  EXPECT_FALSE(flushed->answer.has_value());
  parts_.store.waiting_for_flush[0](Durability::kFlushed);
  parts_.store.waiting_for_flush[1](Durability::kFlushTimeout);
  ASSERT_TRUE(flushed->answer && late->answer);
  EXPECT_EQ(flushed->answer->code, 0);
  EXPECT_EQ(late->answer->code, 10);
  EXPECT_EQ(late->answer->fields.Text("queueOffset"), "1") << "stored: the place is told";
}

TEST_F(MessageHandlersTest, APullCarriesAllOffsetsAndTheRecords) {
  Send("one");
  Send("two");
  const Reply reply = std::move(*PullFrom("0")->answer);
  EXPECT_EQ(reply.code, 0);
  EXPECT_EQ(reply.remark, "FOUND");
  EXPECT_THAT(Names(reply),
              UnorderedElementsAre("suggestWhichBrokerId", "groupSysFlag", "nextBeginOffset",
                                   "maxOffset", "minOffset", "topicSysFlag"));
  EXPECT_EQ(reply.fields.Text("nextBeginOffset"), "2");
  std::string expected;
  for (const auto& [at, bytes] : parts_.store.records) expected += *bytes;
  EXPECT_EQ(BodyOf(reply), expected);
}

TEST_F(MessageHandlersTest, LargeRecordsStayWhereTheyAreAndOrderIsKept) {
  Send("small");
  Send(std::string(10'000, 'L'));
  Send("behind");
  const Reply reply = std::move(*PullFrom("0")->answer);
  EXPECT_EQ(reply.more_body.size(), 2U);
  std::string expected;
  for (const auto& [at, bytes] : parts_.store.records) expected += *bytes;
  EXPECT_EQ(BodyOf(reply), expected);
  EXPECT_NE(reply.more_body[0].pin, nullptr);
}

TEST_F(MessageHandlersTest, PullRefusalsCarryAnEmptyListOrTheForbiddenType) {
  const Reply unknown = Answer(11, {{"consumerGroup", "g"},
                                    {"topic", "NoSuchTopic"},
                                    {"queueId", "0"},
                                    {"queueOffset", "0"},
                                    {"maxMsgNums", "4"},
                                    {"sysFlag", "4"}});
  EXPECT_EQ(unknown.code, 17);
  EXPECT_TRUE(unknown.with_fields);
  EXPECT_THAT(Names(unknown), testing::IsEmpty());
  EXPECT_EQ(PullFrom("0", "0")->answer->code, 24);
  EXPECT_EQ(Answer(11, {{"consumerGroup", "g"}, {"topic", "ErrTopic"}}).code, 1);
  EXPECT_EQ(PullFrom("abc")->answer->code, 1);
  parts_.AddTopic("ErrWriteOnly", 1, kPermWrite);
  const Reply forbidden = Answer(11, {{"consumerGroup", "g"},
                                      {"topic", "ErrWriteOnly"},
                                      {"queueId", "0"},
                                      {"queueOffset", "0"},
                                      {"maxMsgNums", "4"},
                                      {"sysFlag", "4"}});
  EXPECT_EQ(forbidden.code, 16);
  EXPECT_EQ(forbidden.fields.Text("forbiddenType"), "3");
}

TEST_F(MessageHandlersTest, OffsetAnswersHaveTheirCodes) {
  EXPECT_EQ(PullFrom("0")->answer->code, 19);
  EXPECT_EQ(PullFrom("5")->answer->code, 21);
  Send();
  EXPECT_EQ(PullFrom("1")->answer->code, 19);
  EXPECT_EQ(PullFrom("100", "6")->answer->code, 21) << "the suspend flag does not matter here";
  EXPECT_EQ(PullFrom("0", "4", "NoTag")->answer->code, 20);
}

TEST_F(MessageHandlersTest, AHeldPullIsAnsweredByTheNextMessage) {
  const auto box = PullFrom("0", "6");
  EXPECT_FALSE(box->answer.has_value());
  Send("fresh");
  EXPECT_FALSE(box->answer.has_value()) << "the sender's thread only posts";
  channel_->hand_loop.Run();
  ASSERT_TRUE(box->answer.has_value());
  EXPECT_EQ(box->answer->code, 0);
  EXPECT_THAT(BodyOf(*box->answer), HasSubstr("fresh"));
}

TEST_F(MessageHandlersTest, AHeldPullEndsWithNothingWhenItsTimeIsUp) {
  const auto box = PullFrom("0", "6");
  parts_.clock.Advance(std::chrono::milliseconds(1000));
  workers_.RunAll();
  channel_->hand_loop.Run();
  ASSERT_TRUE(box->answer.has_value());
  EXPECT_EQ(box->answer->code, 19);
  EXPECT_EQ(box->answer->fields.Text("nextBeginOffset"), "0");
}

TEST_F(MessageHandlersTest, AHeldPullOfADeletedTopicIsRefusedWhenItComesBack) {
  const auto box = PullFrom("0", "6");
  parts_.topics.Remove("ErrTopic");
  polls_.Stop();
  channel_->hand_loop.Run();
  ASSERT_TRUE(box->answer.has_value());
  EXPECT_EQ(box->answer->code, 17);
}

TEST_F(MessageHandlersTest, AClosedChannelLeavesNothingWaiting) {
  PullFrom("0", "6");
  EXPECT_EQ(polls_.waiting(), 1);
  broker_.OnChannelClosed(channel_);
  workers_.RunAll();
  EXPECT_EQ(polls_.waiting(), 0);
  EXPECT_EQ(channel_->attachment(), nullptr);
}

TEST_F(MessageHandlersTest, UnknownCodesAreNamed) {
  const Reply reply = Answer(9999, {});
  EXPECT_EQ(reply.code, 3);
  EXPECT_EQ(reply.remark, " request type 9999 not supported");
  EXPECT_EQ(Answer(-5, {}).remark, " request type -5 not supported");
  EXPECT_EQ(Answer(12, {}).code, 3);
}

TEST_F(MessageHandlersTest, TheVipPortServesAllButPulls) {
  Command command;
  command.code = 11;
  EXPECT_EQ(Ask(vip_, channel_, command)->answer->remark, " request type 11 not supported");
  command.code = 361;
  EXPECT_EQ(Ask(vip_, channel_, command)->answer->code, 3);
  command.code = 30;
  command.fields.Add("topic", "ErrTopic");
  command.fields.Add("queueId", "0");
  EXPECT_EQ(Ask(vip_, channel_, command)->answer->code, 0);
}

TEST_F(MessageHandlersTest, QueueQuestionsAreAnsweredForAnyQueue) {
  Send();
  Send();
  const FieldList queue = {{"topic", "ErrTopic"}, {"queueId", "0"}};
  EXPECT_EQ(Answer(30, queue).fields.Text("offset"), "2");
  EXPECT_EQ(Answer(31, queue).fields.Text("offset"), "0");
  EXPECT_EQ(Answer(32, queue).fields.Int("timestamp", -7), parts_.clock.WallMs());
  EXPECT_EQ(Answer(29, {{"topic", "ErrTopic"}, {"queueId", "0"}, {"timestamp", "0"}})
                .fields.Text("offset"),
            "0");
  EXPECT_EQ(Answer(29, {{"topic", "ErrTopic"},
                        {"queueId", "0"},
                        {"timestamp", "99999999999999"},
                        {"boundaryType", "upper"}})
                .fields.Text("offset"),
            "1");
  const FieldList missing = {{"topic", "NoSuchTopic"}, {"queueId", "0"}};
  EXPECT_EQ(Answer(30, missing).fields.Text("offset"), "0");
  EXPECT_EQ(Answer(32, missing).fields.Text("timestamp"), "-1");
  EXPECT_EQ(Answer(30, {}).code, 1);
}

TEST_F(MessageHandlersTest, AMessageIsViewedByItsPlace) {
  Send("seen");
  const Reply found = Answer(33, {{"offset", "0"}, {"topic", "ErrTopic"}});
  EXPECT_EQ(found.code, 0);
  EXPECT_EQ(BodyOf(found), *parts_.store.records.at(0));
  for (const char* offset : {"99999999", "-1"}) {
    const Reply none = Answer(33, {{"offset", offset}});
    EXPECT_EQ(none.code, 1);
    EXPECT_EQ(none.remark, std::string("can not find message by the offset, ") + offset);
  }
}

TEST_F(MessageHandlersTest, FiltersOtherThanTagsAreRefusedAtStart) {
  EXPECT_EQ(Answer(46, {}).code, 0);
  EXPECT_EQ(Answer(46, {}, R"({"subscriptionData":{"subString":"*","expressionType":"TAG"}})").code,
            0);
  const Reply sql =
      Answer(46, {}, R"({"subscriptionData":{"subString":"a > 1","expressionType":"SQL92"}})");
  EXPECT_EQ(sql.code, 1);
  EXPECT_EQ(sql.remark, "The broker does not support consumer to filter message by SQL92");
}

TEST_F(MessageHandlersTest, AClientIsOneObjectAChannel) {
  const std::shared_ptr<Channel> channel = channel_;
  const auto client = SharedClientOf(channel);
  EXPECT_EQ(client.get(), &ClientOf(channel));
  client->NotifyConsumerIdsChanged("g");
  ASSERT_EQ(channel_->sent.size(), 1U);
  EXPECT_EQ(channel_->sent[0].first, 40);
}

}  // namespace
}  // namespace apogee
