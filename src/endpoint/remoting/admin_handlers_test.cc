// Membership, positions, locks, administration and status through the front door. Codes, texts and
// field sets are those that Apache 5.5.0 was recorded with.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <initializer_list>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "broker/broker_stats.h"
#include "broker/consumer_positions.h"
#include "broker/fake/broker_parts.h"
#include "broker/heartbeats.h"
#include "broker/topic_admin.h"
#include "broker/work_pool.h"
#include "endpoint/remoting/broker_handler.h"
#include "endpoint/remoting/fake/fake_channel.h"
#include "endpoint/remoting/group_admin_handler.h"
#include "endpoint/remoting/membership_handler.h"
#include "endpoint/remoting/position_handler.h"
#include "endpoint/remoting/status_handler.h"
#include "endpoint/remoting/topic_admin_handler.h"
#include "env/fake/manual_workers.h"
#include "protocol/config_tables.h"
#include "protocol/name_lists.h"

namespace apogee {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::UnorderedElementsAre;
using FieldList = std::initializer_list<std::pair<const char*, const char*>>;

constexpr const char* kHeartbeat =
    R"({"clientID":"raw@1","consumerDataSet":[{"consumeFromWhere":"CONSUME_FROM_LAST_OFFSET",)"
    R"("consumeType":"CONSUME_PASSIVELY","groupName":"CG_err","messageModel":"CLUSTERING",)"
    R"("subscriptionDataSet":[{"classFilterMode":false,"codeSet":[],"expressionType":"TAG",)"
    R"("subString":"*","subVersion":1,"tagsSet":[],"topic":"ErrTopic"}],"unitMode":false}],)"
    R"("producerDataSet":[{"groupName":"PG_x"}]})";

class AdminHandlersTest : public testing::Test {
 protected:
  // A channel and the client kept with it hold each other until the channel closes.
  ~AdminHandlersTest() override { channel_->attachment().reset(); }

  AdminHandlersTest() {
    membership_.RegisterWith(broker_);
    position_.RegisterWith(broker_);
    topic_admin_.RegisterWith(broker_);
    group_admin_.RegisterWith(broker_);
    status_.RegisterWith(broker_);
    parts_.AddTopic("ErrTopic", 1);
    parts_.groups.FindOrCreate("CG_err");
  }

  Reply Ask(std::int32_t code, FieldList fields, std::string_view body = {},
            std::int32_t version = kOurVersion) {
    Command command;
    command.code = code;
    command.version = version;
    for (const auto& [name, value] : fields) command.fields.Add(name, value);
    command.body = body;
    const std::shared_ptr<AnswerBox> box = apogee::Ask(broker_, channel_, command);
    workers_.RunWoken();
    EXPECT_TRUE(box->answer.has_value()) << "no answer to " << code;
    return box->answer ? std::move(*box->answer) : Reply::Of(-1);
  }
  void Expect(std::int32_t code, FieldList fields, std::string_view body, std::int32_t answer,
              const std::string& remark) {
    const Reply reply = Ask(code, fields, body);
    EXPECT_EQ(reply.code, answer) << code << ": " << reply.remark;
    EXPECT_THAT(reply.remark, HasSubstr(remark)) << code;
    if (answer != 0) {
      EXPECT_FALSE(reply.remark.empty()) << code;
    }
  }
  Reply UpdateTopic(const char* topic, const char* attributes = "") {
    return Ask(17, {{"topic", topic},
                    {"defaultTopic", "TBW102"},
                    {"readQueueNums", "1"},
                    {"writeQueueNums", "1"},
                    {"perm", "6"},
                    {"topicFilterType", "SINGLE_TAG"},
                    {"topicSysFlag", "0"},
                    {"order", "false"},
                    {"attributes", attributes}});
  }
  static std::set<std::string> Names(const Reply& reply) {
    std::set<std::string> names;
    for (const auto& [name, value] : reply.fields) names.emplace(name);
    return names;
  }
  std::vector<std::string> TopicsOf(const Reply& reply) {
    std::vector<std::string> names;
    const auto table = TopicConfigTable::Parse(reply.body);
    EXPECT_TRUE(table.ok());
    for (const TopicConfig& topic : table->topics) names.push_back(topic.name);
    return names;
  }

  BrokerParts parts_;
  ManualWorkers workers_;
  WorkPool pool_{workers_, 1, 4};
  BrokerStats stats_{parts_.clock};
  Heartbeats heartbeats_{parts_.topics, parts_.groups, parts_.online};
  ConsumerPositions positions_{parts_.offsets, parts_.topics, parts_.groups, parts_.store};
  TopicAdmin admin_{parts_.topics, parts_.groups, parts_.offsets, parts_.locks, parts_.store};
  MembershipHandler membership_{heartbeats_, parts_.online};
  PositionHandler position_{positions_, parts_.locks};
  TopicAdminHandler topic_admin_{admin_, parts_.topics, parts_.store, parts_.identity, pool_};
  GroupAdminHandler group_admin_{admin_, parts_.groups, pool_};
  QueueQuery query_{parts_.store};
  StatusHandler status_{stats_, query_, parts_.clock, parts_.clock.WallMs(), pool_};
  BrokerHandler broker_;
  std::shared_ptr<FakeChannel> channel_ = std::make_shared<FakeChannel>(1);
};

TEST_F(AdminHandlersTest, HeartbeatIsAnsweredWithBothFields) {
  const Reply reply = Ask(34, {}, kHeartbeat);
  EXPECT_EQ(reply.code, 0);
  EXPECT_EQ(reply.fields.Text("IS_SUPPORT_HEART_BEAT_V2"), "true");
  EXPECT_EQ(reply.fields.Text("IS_SUB_CHANGE"), "true");
  ASSERT_THAT(channel_->sent, SizeIs(1)) << "the newcomer is told, before its answer";
  EXPECT_EQ(channel_->sent.front().first, 40);
}

TEST_F(AdminHandlersTest, HeartbeatOfAnOddVersionIsServed) {
  EXPECT_EQ(Ask(34, {}, kHeartbeat, -1).code, 0);
  EXPECT_THAT(parts_.online.View("CG_err")->members, SizeIs(1));
}

TEST_F(AdminHandlersTest, BadHeartbeatsAreErrors) {
  for (const char* body : {"", "garbage", "[]", "{", R"({"producerDataSet":[{"groupName":"p"}]})",
                           R"({"clientID":"x@1","consumerDataSet":null})",
                           R"({"clientID":"x","producerDataSet":[{"groupName":null}]})"}) {
    Expect(34, {}, body, 1, "");
  }
  Expect(34, {}, R"({"clientID":"raw@5"})", 0, "");
  EXPECT_FALSE(parts_.online.Online("CG_err"));
}

TEST_F(AdminHandlersTest, HeartbeatV2AsksForSubscriptionsOnlyWhenItHasNone) {
  const std::string head = R"({"clientID":"v2","heartbeatFingerprint":77,"withoutSub":)";
  const std::string group = R"("consumerDataSet":[{"groupName":"CG_err","consumeType":1)";
  const std::string sub = R"(,"subscriptionDataSet":[{"topic":"ErrTopic","subString":"*"}])";
  const auto changed = [&](const std::string& body) {
    return std::string(Ask(34, {}, body).fields.Text("IS_SUB_CHANGE"));
  };
  EXPECT_EQ(changed(head + "true," + group + "}]}"), "true");
  EXPECT_EQ(changed(head + "false," + group + sub + "}]}"), "false");
  EXPECT_EQ(changed(head + "true," + group + "}]}"), "false");
}

TEST_F(AdminHandlersTest, MembersAreListedUntilTheyLeave) {
  Expect(38, {{"consumerGroup", "CG_err"}}, "", 1, "no consumer for this group, CG_err");
  Expect(38, {}, "", 1, "");
  Ask(34, {}, kHeartbeat);
  Reply reply = Ask(38, {{"consumerGroup", "CG_err"}});
  EXPECT_EQ(reply.code, 0);
  EXPECT_TRUE(reply.with_fields);
  EXPECT_EQ(reply.body, R"({"consumerIdList":["raw@1"]})");
  Expect(35, {}, "", 0, "");
  Expect(35, {{"clientID", "nobody"}, {"consumerGroup", "NoSuchGroup5"}}, "", 0, "");
  reply = Ask(35, {{"clientID", "raw@1"}, {"consumerGroup", "CG_err"}});
  EXPECT_EQ(reply.code, 0);
  EXPECT_TRUE(reply.with_fields);
  EXPECT_FALSE(parts_.online.Online("CG_err"));
}

TEST_F(AdminHandlersTest, ClosedConnectionLeavesItsGroups) {
  Ask(34, {}, kHeartbeat);
  broker_.OnChannelClosed(channel_);
  EXPECT_FALSE(parts_.online.Online("CG_err"));
}

TEST_F(AdminHandlersTest, PositionsAreCommittedAndAsked) {
  RecordFields record;
  record.topic = "ErrTopic";
  record.body = "x";
  record.born_host = record.store_host = parts_.identity.store_host;
  ASSERT_TRUE(parts_.store.Append(std::span(&record, 1)).ok());
  const auto ask = [&](const char* topic, const char* zero) {
    return zero == nullptr
               ? Ask(14, {{"consumerGroup", "CG_err"}, {"topic", topic}, {"queueId", "0"}})
               : Ask(14, {{"consumerGroup", "CG_err"},
                          {"topic", topic},
                          {"queueId", "0"},
                          {"setZeroIfNotFound", zero}});
  };
  Reply reply = ask("ErrTopic", nullptr);
  EXPECT_EQ(reply.code, 0);
  EXPECT_EQ(reply.fields.Text("offset"), "0");
  reply = ask("ErrTopic", "false");
  EXPECT_EQ(reply.code, 22);
  EXPECT_EQ(reply.remark, "Not found, do not set to zero, maybe this group boot first");
  EXPECT_TRUE(reply.with_fields);
  reply = ask("NoSuchTopic", nullptr);
  EXPECT_EQ(reply.code, 22);
  EXPECT_EQ(reply.remark, "Not found, V3_0_6_SNAPSHOT maybe this group consumer boot first");
  Expect(14, {}, "", 1, "consumerGroup");

  const auto commit = [&](const char* group, const char* topic, const char* offset) {
    return Ask(
        15,
        {{"consumerGroup", group}, {"topic", topic}, {"queueId", "0"}, {"commitOffset", offset}});
  };
  reply = commit("CG_err", "ErrTopic", "1");
  EXPECT_EQ(reply.code, 0);
  EXPECT_TRUE(reply.with_fields);
  EXPECT_EQ(ask("ErrTopic", "false").fields.Text("offset"), "1");
  EXPECT_EQ(commit("CG_err", "ErrTopic", "-1").code, 0);
  EXPECT_EQ(commit("CG_err", "ErrTopic", "99999").code, 0);
  EXPECT_EQ(commit("NoSuchGroup7", "ErrTopic", "0").remark, "Group NoSuchGroup7 not exist!");
  EXPECT_EQ(commit("NoSuchGroup7", "ErrTopic", "0").code, 26);
  EXPECT_EQ(commit("CG_err", "NoSuchTopic", "0").remark, "Topic NoSuchTopic not exist!");
  EXPECT_EQ(commit("CG_err", "NoSuchTopic", "0").code, 17);
  Expect(15, {{"consumerGroup", "CG_err"}, {"topic", "ErrTopic"}, {"commitOffset", "0"}}, "", 29,
         "QueueId is null, topic is ErrTopic");
  Expect(15, {{"consumerGroup", "CG_err"}, {"topic", "ErrTopic"}, {"queueId", "0"}}, "", 29,
         "Offset is null, topic is ErrTopic");
  Expect(15,
         {{"consumerGroup", "CG_err"},
          {"topic", "ErrTopic"},
          {"queueId", "4294967296"},
          {"commitOffset", "0"}},
         "", 29, "QueueId is null");
}

TEST_F(AdminHandlersTest, LocksAreTakenAndGivenBack) {
  const auto body = [](const char* client, const char* queues) {
    return std::string(R"({"clientId":")") + client + R"(","consumerGroup":"CG_err","mqSet":[)" +
           queues + "]}";
  };
  constexpr const char* kFirst = R"({"brokerName":"broker-a","queueId":0,"topic":"ErrTopic"})";
  constexpr const char* kSecond = R"({"brokerName":"broker-a","queueId":1,"topic":"ErrTopic"})";
  const std::string both = std::string(kFirst) + "," + kSecond;
  EXPECT_EQ(Ask(41, {}, body("raw@1", kFirst)).body,
            std::string(R"({"lockOKMQSet":[)") + kFirst + "]}");
  EXPECT_EQ(Ask(41, {}, body("raw@2", both.c_str())).body,
            std::string(R"({"lockOKMQSet":[)") + kSecond + "]}");
  Expect(42, {}, body("raw@9", kFirst), 0, "");
  EXPECT_THAT(Ask(41, {}, body("raw@2", kFirst)).body, HasSubstr("[]"));
  const Reply unlocked = Ask(42, {}, body("raw@1", kFirst));
  EXPECT_EQ(unlocked.code, 0);
  EXPECT_THAT(unlocked.body, IsEmpty());
  EXPECT_THAT(Ask(41, {}, body("raw@2", kFirst)).body, HasSubstr("ErrTopic"));
}

TEST_F(AdminHandlersTest, LockRequestsThatCannotBeReadAreErrors) {
  for (const std::int32_t code : {41, 42}) {
    Expect(code, {}, "", 1, "");
    Expect(code, {}, "{", 1, "");
    Expect(code, {}, R"({"clientId":"a","mqSet":[]})", 1, "consumerGroup");
    Expect(code, {}, R"({"consumerGroup":"g","mqSet":[]})", 1, "clientId");
    Expect(code, {}, R"({"clientId":"a","consumerGroup":"g","mqSet":[]})", 0, "");
  }
}

TEST_F(AdminHandlersTest, TopicsAreCreatedAndKeptOnTheDisk) {
  const Reply reply = UpdateTopic("T");
  EXPECT_EQ(reply.code, 0);
  EXPECT_THAT(Names(reply), IsEmpty());
  EXPECT_THAT(parts_.files.ReadFile("config/topics.json").value(), HasSubstr("\"T\""));
  EXPECT_EQ(UpdateTopic("T").code, 0);
}

TEST_F(AdminHandlersTest, BadTopicsAreRefusedWithApachesCodes) {
  const auto expect = [&](const Reply& reply, std::int32_t code, const std::string& remark) {
    EXPECT_EQ(reply.code, code) << reply.remark;
    EXPECT_EQ(reply.remark, remark);
  };
  expect(UpdateTopic("bad name!"), 29,
         "The specified topic: bad name!, contains illegal characters, allowing only "
         "^[%|a-zA-Z0-9_-]+$");
  expect(UpdateTopic(""), 29, "The specified topic is blank.");
  expect(UpdateTopic("SCHEDULE_TOPIC_XXXX"), 29,
         "The topic[SCHEDULE_TOPIC_XXXX] is conflict with system topic.");
  expect(UpdateTopic("T", "+no.such=1"), 1, "unsupported key: no.such");
  expect(UpdateTopic("T", "+message.type=MIXED"), 29, "MIXED message type is not supported.");
  expect(UpdateTopic("T", "message.type=FIFO"), 1,
         "add/alter attribute format is wrong: message.type");
  expect(UpdateTopic("T", "-message.type"), 1,
         "only add attribute is supported while creating topic. key: message.type");
  Expect(17, {}, "", 1, "topic");
  Expect(17, {{"topic", "T"}}, "", 1, "topicFilterType = [null] value invalid");
  Expect(17, {{"topic", "T"}, {"topicFilterType", "FOO"}}, "", 1,
         "topicFilterType = [FOO] value invalid");
  Expect(17,
         {{"topic", "T"},
          {"topicFilterType", "SINGLE_TAG"},
          {"readQueueNums", "99999999999"},
          {"writeQueueNums", "1"},
          {"perm", "6"}},
         "", 1, "readQueueNums");
  EXPECT_EQ(parts_.topics.Find("T"), nullptr);
}

TEST_F(AdminHandlersTest, TopicListsAreTakenWholeOrRefused) {
  Expect(18, {}, R"({"topicConfigList":[{"topicName":"L1","perm":6,"readQueueNums":1}]})", 0, "");
  EXPECT_NE(parts_.topics.Find("L1"), nullptr);
  Expect(18, {}, R"({"topicConfigList":[]})", 0, "");
  Expect(18, {}, R"({"topicConfigList":[{"topicName":"L2"},{"topicName":"bad name"}]})", 29,
         "The specified topic: bad name, contains illegal characters");
  EXPECT_EQ(parts_.topics.Find("L2"), nullptr);
  Expect(18, {}, "", 1, "");
}

TEST_F(AdminHandlersTest, TopicsAreDeleted) {
  Expect(215, {{"topic", ""}}, "", 29, "The specified topic is blank.");
  Expect(215, {}, "", 29, "The specified topic is blank.");
  Expect(215, {{"topic", "TBW102"}}, "", 29, "The topic[TBW102] is conflict with system topic.");
  Expect(215, {{"topic", "NoSuchTopic"}}, "", 0, "");
  Expect(215, {{"topic", "ErrTopic"}}, "", 0, "");
  Expect(351, {{"topic", "ErrTopic"}}, "", 17, "No topic in this broker. topic: ErrTopic");
}

TEST_F(AdminHandlersTest, OneTopicsConfigurationAndExtent) {
  EXPECT_EQ(Ask(351, {{"topic", "ErrTopic"}, {"lo", "true"}}).body,
            R"({"attributes":{},"order":false,"perm":6,"readQueueNums":1,)"
            R"("topicFilterType":"SINGLE_TAG","topicName":"ErrTopic","topicSysFlag":0,)"
            R"("writeQueueNums":1})");
  EXPECT_EQ(Ask(202, {{"topic", "ErrTopic"}}).body,
            R"({"offsetTable":{{"brokerName":"broker-a","queueId":0,"topic":"ErrTopic"}:)"
            R"({"lastUpdateTimestamp":0,"maxOffset":0,"minOffset":0}},"topicPutTps":0.0})");
  Expect(202, {{"topic", "NoSuchTopic"}}, "", 17, "topic[NoSuchTopic] not exist");
}

TEST_F(AdminHandlersTest, TopicTableIsGivenWholeOrByPages) {
  const Reply whole = Ask(21, {});
  const std::vector<std::string> all = TopicsOf(whole);
  EXPECT_EQ(whole.fields.Text("totalTopicNum"), std::to_string(all.size()));
  EXPECT_THAT(all, Contains("ErrTopic"));
  const std::string version = parts_.topics.version().ToJson().Dump();
  const auto page = [&](const char* first, const char* of) {
    return TopicsOf(Ask(21, {{"topicSeq", first}, {"maxTopicNum", "2"}, {"dataVersion", of}}));
  };
  EXPECT_THAT(page("0", ""), ElementsAre(all[0], all[1]));
  EXPECT_THAT(page("2", version.c_str()), ElementsAre(all[2], all[3]));
  EXPECT_THAT(page("2", ""), ElementsAre(all[0], all[1])) << "another version: from the start";
  EXPECT_THAT(page("1000", version.c_str()), IsEmpty());
  EXPECT_THAT(page("-5", version.c_str()), ElementsAre(all[0], all[1]));
}

TEST_F(AdminHandlersTest, SystemTopicsAreListed) {
  const Result<TopicList> list = TopicList::Parse(Ask(305, {}).body);
  ASSERT_TRUE(list.ok());
  // Recorded, but for the trace topic, which that broker had switched on.
  EXPECT_THAT(
      list->topics,
      UnorderedElementsAre("RMQ_SYS_TRANS_HALF_TOPIC", "BenchmarkTest",
                           "TRANS_CHECK_MAX_TIME_TOPIC", "OFFSET_MOVED_EVENT", "TBW102",
                           "RMQ_SYS_ROCKSDB_TRANS_HALF_TOPIC", "rmq_sys_REVIVE_LOG_DefaultCluster",
                           "SELF_TEST_TOPIC", "DefaultCluster", "SCHEDULE_TOPIC_XXXX",
                           "DefaultCluster_REPLY_TOPIC", "rmq_sys_wheel_timer", "CHECKPOINT_TOPIC",
                           "rmq_sys_SYNC_BROKER_MEMBER_broker-a", "RMQ_SYS_TRANS_OP_HALF_TOPIC",
                           "RMQ_SYS_ROCKSDB_TRANS_OP_HALF_TOPIC", "broker-a"));
}

TEST_F(AdminHandlersTest, GroupsAreCreatedAndRefused) {
  Expect(200, {}, R"({"groupName":"CG_dis","consumeEnable":false})", 0, "");
  EXPECT_FALSE(parts_.groups.Find("CG_dis")->consume_enable);
  EXPECT_THAT(parts_.files.ReadFile("config/subscriptionGroup.json").value(),
              HasSubstr("\"CG_dis\""));
  Expect(200, {}, "", 0, "");
  Expect(200, {}, "{", 1, "");
  Expect(200, {}, R"({"groupName":"TOOLS_CONSUMER"})", 0, "");
  Expect(200, {}, R"({"groupName":"bad group!"})", 29,
         "The specified group: bad group!, contains illegal characters, allowing only "
         "^[%|a-zA-Z0-9_-]+$");
  Expect(200, {}, R"({"groupName":""})", 29, "The specified group is blank.");
  Expect(200, {}, R"({"groupName":")" + std::string(121, 'g') + "\"}", 29,
         "is longer than group max length: 120");
  Expect(225, {}, R"({"groupConfigList":[{"groupName":"CG_errL"}]})", 0, "");
  EXPECT_NE(parts_.groups.Find("CG_errL"), nullptr);
  Expect(225, {}, R"({"groupConfigList":[{"groupName":"bad g!"}]})", 29, "bad g!");
  Expect(225, {}, "", 1, "");
}

TEST_F(AdminHandlersTest, GroupsAreReadAndDeleted) {
  const Reply one = Ask(352, {{"group", "NoSuchGroup2"}});
  EXPECT_EQ(one.code, 0) << "created first";
  EXPECT_EQ(one.body,
            R"({"attributes":{},"brokerId":0,"consumeBroadcastEnable":true,"consumeEnable":true,)"
            R"("consumeFromMinEnable":true,"consumeMessageOrderly":false,)"
            R"("consumeTimeoutMinute":15,"groupName":"NoSuchGroup2",)"
            R"("groupRetryPolicy":{"type":"CUSTOMIZED"},"groupSysFlag":0,)"
            R"("notifyConsumerIdsChangedEnable":true,"retryMaxTimes":16,"retryQueueNums":1,)"
            R"("whichBrokerWhenConsumeSlowly":1})");
  Expect(352, {{"group", "bad group"}}, "", 26, "No group in this broker");
  const Reply all = Ask(201, {});
  const auto table = GroupConfigTable::Parse(all.body);
  ASSERT_TRUE(table.ok());
  EXPECT_EQ(all.fields.Text("totalGroupNum"), std::to_string(table->groups.size()));
  const auto page =
      GroupConfigTable::Parse(Ask(201, {{"groupSeq", "0"}, {"maxGroupNum", "2"}}).body);
  EXPECT_THAT(page->groups, SizeIs(2));
  EXPECT_EQ(page->groups[0].name, table->groups[0].name);

  parts_.offsets.Commit("CG_err", "ErrTopic", 0, 1);
  Expect(207, {{"groupName", "NoSuchGroup3"}, {"cleanOffset", "true"}}, "", 0, "");
  Expect(207, {{"groupName", "CG_err"}}, "", 0, "");
  EXPECT_EQ(parts_.offsets.Find("CG_err", "ErrTopic", 0), 1);
  Expect(207, {{"groupName", "CG_err"}, {"removeOffset", "true"}}, "", 0, "");
  EXPECT_EQ(parts_.offsets.Find("CG_err", "ErrTopic", 0), std::nullopt);
}

TEST_F(AdminHandlersTest, TooMuchWaitingWorkIsRefused) {
  Command command;
  command.code = 21;
  command.version = kOurVersion;
  std::vector<std::shared_ptr<AnswerBox>> boxes;
  for (int i = 0; i < 5; ++i) boxes.push_back(apogee::Ask(broker_, channel_, command));
  ASSERT_TRUE(boxes.back()->answer.has_value());
  EXPECT_EQ(boxes.back()->answer->code, 2);
  EXPECT_FALSE(boxes.front()->answer.has_value());
  workers_.RunWoken();
  EXPECT_EQ(boxes.front()->answer->code, 0);
}

TEST_F(AdminHandlersTest, StatusHasWhatTheToolsParse) {
  stats_.Put(4, 1000);
  stats_.Got(2);
  parts_.clock.Advance(std::chrono::seconds(90'061));
  stats_.Sample();
  const Result<KvTable> status = KvTable::Parse(Ask(28, {}).body);
  ASSERT_TRUE(status.ok());
  const auto& table = status->table;
  for (const char* key : {"EndTransactionQueueSize",
                          "ackThreadPoolQueueHeadWaitTimeMills",
                          "ackThreadPoolQueueSize",
                          "bootTimestamp",
                          "brokerActive",
                          "brokerVersionDesc",
                          "commitLogDirCapacity",
                          "commitLogDiskRatio",
                          "commitLogMaxOffset",
                          "commitLogMinOffset",
                          "consumeQueueDiskRatio",
                          "dispatchBehindBytes",
                          "dispatchMaxBuffer",
                          "earliestMessageTimeStamp",
                          "getTransferredTps",
                          "getTransferedTps",
                          "litePullThreadPoolQueueHeadWaitTimeMills",
                          "litePullThreadPoolQueueSize",
                          "msgGetTotalTodayMorning",
                          "msgGetTotalTodayNow",
                          "msgGetTotalYesterdayMorning",
                          "msgPutTotalTodayMorning",
                          "msgPutTotalTodayNow",
                          "msgPutTotalYesterdayMorning",
                          "pageCacheLockTimeMills",
                          "pullThreadPoolQueueHeadWaitTimeMills",
                          "pullThreadPoolQueueSize",
                          "putMessageAverageSize",
                          "putMessageFailedTimes",
                          "putMessageSizeTotal",
                          "putMessageTimesTotal",
                          "putTps",
                          "queryThreadPoolQueueHeadWaitTimeMills",
                          "queryThreadPoolQueueSize",
                          "remainHowManyDataToFlush",
                          "runtime",
                          "sendThreadPoolQueueHeadWaitTimeMills",
                          "sendThreadPoolQueueSize",
                          "startAcceptSendRequestTimeStamp",
                          "timerCongestNum",
                          "timerDequeueTps",
                          "timerEnqueueTps",
                          "timerOffsetBehind",
                          "timerReadBehind"}) {
    EXPECT_TRUE(table.contains(key)) << key;
  }
  EXPECT_EQ(table.at("runtime"), "[ 1 days, 1 hours, 1 minutes, 1 seconds ]");
  EXPECT_EQ(table.at("brokerVersionDesc"), "V5_5_0");
  EXPECT_EQ(table.at("msgPutTotalTodayNow"), "4");
  EXPECT_EQ(table.at("msgPutTotalTodayMorning"), "4") << "a day has passed";
  EXPECT_EQ(table.at("msgGetTotalTodayNow"), "2");
  EXPECT_EQ(table.at("putMessageAverageSize"), "250.0");
  EXPECT_EQ(table.at("commitLogDirCapacity"), "Total : 0 B, Free : 0 B.");
  EXPECT_EQ(table.at("commitLogDiskRatio"), "0.00");
}

}  // namespace
}  // namespace apogee
