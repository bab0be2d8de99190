#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <string>

#include "base/bytes.h"
#include "protocol/heartbeat.h"
#include "protocol/lock_batch.h"
#include "protocol/pull_header.h"
#include "protocol/register_broker.h"
#include "protocol/request_code.h"
#include "protocol/send_header.h"
#include "protocol/topic_route.h"
#include "protocol/zlib_stream.h"

namespace apogee {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string Deflate(const std::string& bytes) {
  uLongf size = compressBound(bytes.size());
  std::string out(size, '\0');
  compress(reinterpret_cast<Bytef*>(out.data()), &size,
           reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
  out.resize(size);
  return out;
}

void AppendText(std::string& out, std::string_view text) {
  AppendBigEndian(out, static_cast<std::int32_t>(text.size()));
  out += text;
}

TEST(TopicRouteTest, BothFormsAreCompactAndReadBack) {
  TopicRouteData route;
  route.order_topic_conf = "b:4";
  route.queues.push_back(
      {.broker_name = "b\xC3\xA4", .read_queues = 4, .write_queues = 3, .perm = 6});
  route.brokers.push_back(
      {.cluster = "c", .broker_name = "b\xC3\xA4", .addrs = {{0, "1.1.1.1:1"}, {1, "x"}}});
  EXPECT_EQ(route.Encode(JsonKeys::kQuoted),
            R"({"brokerDatas":[{"brokerAddrs":{"0":"1.1.1.1:1","1":"x"},"brokerName":"b\u00E4",)"
            R"("cluster":"c","enableActingMaster":false}],"filterServerTable":{},)"
            R"("orderTopicConf":"b:4","queueDatas":[{"brokerName":"b\u00E4","perm":6,)"
            R"("readQueueNums":4,"topicSysFlag":0,"writeQueueNums":3}]})");
  const std::string bare = route.Encode(JsonKeys::kBare);
  EXPECT_THAT(bare, HasSubstr("{0:\"1.1.1.1:1\",1:\"x\"},\"brokerName\":\"b\xC3\xA4\""));
  EXPECT_EQ(TopicRouteData::Parse(bare).value(), route);
  EXPECT_EQ(TopicRouteData::Parse(route.Encode(JsonKeys::kQuoted)).value(), route);
}

TEST(RegisterBrokerTest, BareWrapperOfOldBrokersIsRead) {
  const auto body = DecodeRegisterBrokerBody(
      R"({"dataVersion":{"counter":3,"timestamp":9},"topicConfigTable":{"T":{"perm":6,)"
      R"("readQueueNums":2,"topicName":"T","writeQueueNums":2}}})",
      30);
  ASSERT_TRUE(body.ok());
  EXPECT_EQ(body->data_version.counter, 3);
  ASSERT_EQ(body->topics.size(), 1U);
  EXPECT_EQ(body->topics[0].read_queues, 2);
}

TEST(RegisterBrokerTest, CompressedFormKeepsAttributesAndMappings) {
  std::string plain;
  AppendText(plain, R"({"counter":5,"stateVersion":0,"timestamp":7})");
  AppendBigEndian(plain, std::int32_t{2});
  AppendText(plain, R"(A 4 3 6 MULTI_TAG {"message.type":"FIFO","x":"a b"})");
  AppendText(plain, "B 1 1 2 SINGLE_TAG");
  AppendText(plain, R"(["f1"])");
  AppendBigEndian(plain, std::int32_t{1});
  AppendText(plain, R"({"bname":"b","topic":"A","totalQueues":4})");
  const auto body = DecodeRegisterBrokerBody(Deflate(plain), 513);
  ASSERT_TRUE(body.ok()) << body.error().message();
  EXPECT_EQ(body->data_version.counter, 5);
  ASSERT_EQ(body->topics.size(), 2U);
  EXPECT_EQ(body->topics[0].name, "A");
  EXPECT_EQ(body->topics[0].write_queues, 3);
  EXPECT_TRUE(body->topics[0].multi_tag);
  EXPECT_EQ(body->topics[0].attributes.at("x"), "a b");
  EXPECT_EQ(body->topics[1].perm, 2);
  EXPECT_THAT(body->filter_servers, ElementsAre("f1"));
  EXPECT_EQ(body->mappings.at("A")["totalQueues"].ToInt(), 4);

  EXPECT_TRUE(DecodeRegisterBrokerBody("", 513)->topics.empty());
  EXPECT_FALSE(DecodeRegisterBrokerBody("not json at all", 513).ok());
  EXPECT_FALSE(DecodeRegisterBrokerBody(Deflate(plain).substr(0, 40), 513).ok());
  plain.resize(plain.size() - 60);
  EXPECT_FALSE(DecodeRegisterBrokerBody(Deflate(plain), 513).ok());
}

TEST(RegisterBrokerTest, HugeCountsAndBombsAreRefused) {
  std::string plain;
  AppendText(plain, "{}");
  AppendBigEndian(plain, std::int32_t{0x7FFFFFFF});
  EXPECT_FALSE(DecodeRegisterBrokerBody(Deflate(plain), 513).ok());
  const std::string bomb = Deflate(std::string(1 << 20, 'x'));
  const auto unpacked = InflateZlib(bomb, 1 << 16);
  ASSERT_FALSE(unpacked.ok());
  EXPECT_EQ(unpacked.error().code(), ErrorCode::kResourceExhausted);
}

TEST(RegisterBrokerTest, HeaderRoundTripsAndNamesWhatIsMissing) {
  RegisterBrokerHeader header;
  header.cluster = "c";
  header.broker_name = "b";
  header.broker_addr = "1.1.1.1:1";
  header.broker_id = 2;
  header.enable_acting_master = true;
  header.heartbeat_timeout_ms = 10'000;
  header.zone_name = "z";
  Fields fields;
  header.AddTo(&fields);
  const auto back = RegisterBrokerHeader::FromFields(fields);
  ASSERT_TRUE(back.ok());
  EXPECT_EQ(back->broker_id, 2);
  EXPECT_EQ(back->enable_acting_master, true);
  EXPECT_EQ(back->heartbeat_timeout_ms, 10'000);
  EXPECT_EQ(back->zone_name, "z");
  fields.Clear();
  fields.Add("clusterName", "c");
  EXPECT_THAT(RegisterBrokerHeader::FromFields(fields).error().message(), HasSubstr("brokerName"));
}

TEST(HeartbeatTest, NativeClientsFormsAreRead) {
  const auto data = HeartbeatData::Parse(
      R"({"clientID":"cpp@1","consumerDataSet":[{"consumeFromWhere":4,"consumeType":1,)"
      R"("groupName":"g","messageModel":"clustering","subscriptionDataSet":[{"subString":"A||B",)"
      R"("subVersion":"123","tagsSet":["A","B"],"codeSet":["65",66],"topic":"T"}]}]})");
  ASSERT_TRUE(data.ok()) << data.error().message();
  ASSERT_EQ(data->consumers.size(), 1U);
  const ConsumerData& consumer = data->consumers[0];
  EXPECT_EQ(consumer.type, ConsumerData::Type::kPassively);
  EXPECT_EQ(consumer.model, ConsumerData::Model::kClustering);
  EXPECT_EQ(consumer.from, ConsumerData::From::kFirst);
  ASSERT_EQ(consumer.subscriptions.size(), 1U);
  EXPECT_EQ(consumer.subscriptions[0].version, 123);
  EXPECT_EQ(consumer.subscriptions[0].tag_codes, (std::vector<std::int32_t>{65, 66}));
  const auto unknown = HeartbeatData::Parse(
      R"({"clientID":"x","consumerDataSet":[{"groupName":"g","consumeType":"NO_SUCH"}]})");
  EXPECT_EQ(unknown->consumers[0].type, std::nullopt);
}

TEST(HeartbeatTest, RefusesWhatApacheAnswersWithAnError) {
  for (const std::string_view body :
       {"", "garbage", "[]", R"({"clientID":"x","consumerDataSet":null})",
        R"({"clientID":"x","producerDataSet":null})",
        R"({"clientID":"x","producerDataSet":[{"groupName":null}]})",
        R"({"clientId":"x","producerDataSet":[{"groupName":"p"}]})"}) {
    const auto data = HeartbeatData::Parse(body);
    ASSERT_FALSE(data.ok()) << body;
    EXPECT_EQ(data.error().code(), ErrorCode::kInvalidArgument);
  }
  EXPECT_TRUE(HeartbeatData::Parse(R"({"clientID":"x"})").ok());
  EXPECT_TRUE(HeartbeatData::Parse("{}").ok());
  EXPECT_TRUE(HeartbeatData::Parse("{}").ok());
}

TEST(LockBatchTest, TrapP04BrokenBodiesAreErrorsWithAReason) {
  for (const std::string_view body :
       {"", "{", "{}", R"({"clientId":"c"})", R"({"consumerGroup":"g","mqSet":[]})"}) {
    const auto request = LockBatchRequest::Parse(body);
    ASSERT_FALSE(request.ok()) << body;
    EXPECT_FALSE(request.error().message().empty());
  }
}

TEST(SendHeaderTest, BothSpellingsGiveTheSame) {
  SendHeader header;
  header.producer_group = "PG";
  header.topic = "T";
  header.default_topic = "TBW102";
  header.default_topic_queues = 4;
  header.queue_id = -1;
  header.born_time_ms = 1795991994461;
  header.properties = "p";
  header.max_reconsume_times = 3;
  Fields letters;
  header.AddTo(&letters);
  const auto v2 = SendHeader::FromFields(RequestCode::kSendMessageV2, letters);
  ASSERT_TRUE(v2.ok());
  EXPECT_EQ(v2->topic, "T");
  EXPECT_EQ(v2->queue_id, -1);
  EXPECT_EQ(v2->born_time_ms, 1795991994461);
  EXPECT_EQ(v2->max_reconsume_times, 3);

  Fields names;
  for (const auto& [name, value] : {std::pair{"producerGroup", "PG"},
                                    {"topic", "T"},
                                    {"queueId", "2"},
                                    {"sysFlag", "0"},
                                    {"bornTimestamp", "9"},
                                    {"flag", "0"},
                                    {"batch", "true"},
                                    {"bname", "b"},
                                    {"unknown", "u"}}) {
    names.AddView(name, value);
  }
  const auto v1 = SendHeader::FromFields(RequestCode::kSendMessage, names);
  ASSERT_TRUE(v1.ok());
  EXPECT_EQ(v1->queue_id, 2);
  EXPECT_TRUE(v1->batch);
  EXPECT_EQ(v1->broker_name, "b");
  EXPECT_FALSE(SendHeader::FromFields(RequestCode::kSendMessageV2, names).ok());
}

TEST(SendHeaderTest, MissingAndBadFieldsAreNamed) {
  Fields fields;
  EXPECT_THAT(SendHeader::FromFields(RequestCode::kSendMessageV2, fields).error().message(),
              HasSubstr("topic"));
  fields.AddView("b", "T");
  fields.AddView("e", "abc");
  EXPECT_THAT(SendHeader::FromFields(RequestCode::kSendMessageV2, fields).error().message(),
              HasSubstr("queueId"));
}

TEST(PullHeaderTest, ServesWithoutWhatApacheServesWithout) {
  PullHeader header;
  header.consumer_group = "g";
  header.topic = "T";
  header.queue_id = 3;
  header.queue_offset = 1'000'000'000'000;
  header.max_msg_nums = 32;
  header.sys_flag = 4;
  header.subscription = "*";
  header.max_msg_bytes = 262144;
  Fields fields;
  header.AddTo(&fields);
  const auto back = PullHeader::FromFields(fields);
  ASSERT_TRUE(back.ok());
  EXPECT_EQ(back->queue_offset, 1'000'000'000'000);
  EXPECT_EQ(back->subscription, "*");
  EXPECT_EQ(back->max_msg_bytes, 262144);

  Fields few;
  for (const auto& [name, value] : {std::pair{"consumerGroup", "g"},
                                    {"topic", "T"},
                                    {"queueId", "0"},
                                    {"queueOffset", "0"},
                                    {"maxMsgNums", "4"}}) {
    few.AddView(name, value);
  }
  EXPECT_THAT(PullHeader::FromFields(few).error().message(), HasSubstr("sysFlag"));
  few.AddView("sysFlag", "2");
  EXPECT_TRUE(PullHeader::FromFields(few).ok());
  few.AddView("queueOffset", "abc");
  EXPECT_THAT(PullHeader::FromFields(few).error().message(), HasSubstr("queueOffset"));
}

}  // namespace
}  // namespace apogee
