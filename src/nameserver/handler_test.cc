// The name server's answers, driven without sockets or time.
#include "nameserver/handler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/check.h"
#include "base/crc32.h"
#include "env/fake/manual_clock.h"
#include "env/fake/memory_file_system.h"
#include "protocol/name_lists.h"
#include "protocol/request_code.h"
#include "protocol/response_code.h"

namespace apogee {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

class FakeChannel final : public Channel {
 public:
  explicit FakeChannel(std::uint64_t id) : id_(id) {}
  const std::string& peer() const override { return peer_; }
  const std::string& local() const override { return peer_; }
  std::uint64_t id() const override { return id_; }
  EventLoop& loop() override { CheckFailed(__FILE__, __LINE__, "no loop here"); }
  Language language() const override { return Language::kJava; }
  std::int32_t version() const override { return kOurVersion; }
  HeaderForm form() const override { return HeaderForm::kJson; }
  void SendOneway(Command, std::string) override {}
  void Close() override { closed_ = true; }
  bool closed() const override { return closed_; }

 private:
  const std::uint64_t id_;
  const std::string peer_ = "127.0.0.1:5";
  bool closed_ = false;
};

class ReplyBox final : public Responder::Target {
 public:
  void Send(std::int32_t, HeaderForm, std::size_t, bool, Reply&& reply) override {
    reply_ = std::move(reply);
  }
  std::optional<Reply> reply_;
};

TopicConfig Topic(std::string name, std::int32_t queues = 4) {
  TopicConfig topic;
  topic.name = std::move(name);
  topic.read_queues = topic.write_queues = queues;
  return topic;
}

using FieldMap = std::map<std::string, std::string>;

class HandlerTest : public testing::Test {
 protected:
  Reply Call(std::int32_t code, const FieldMap& fields = {}, const std::string& body = {},
             std::int32_t version = kOurVersion, std::shared_ptr<FakeChannel> channel = nullptr) {
    Command command;
    command.code = code;
    command.version = version;
    command.body = body;
    for (const auto& [name, value] : fields) command.fields.AddView(name, value);
    std::shared_ptr<Channel> from = channel ? channel : channel_;
    auto box = std::make_shared<ReplyBox>();
    handler_.Handle({command, from, 0}, Responder(box, command, 0));
    if (wanted_save_) handler_.Save();
    wanted_save_ = false;
    AP_CHECK(box->reply_.has_value());
    return std::move(*box->reply_);
  }

  struct Registration {
    std::string name = "a";
    std::string addr = "1.1.1.1:1";
    std::int64_t id = 0;
    std::vector<TopicConfig> topics;
    DataVersion version{.state_version = 0, .timestamp_ms = 1, .counter = 1};
    std::optional<bool> acting = false;
    std::shared_ptr<FakeChannel> channel = nullptr;
    std::string zone = "";
    std::optional<std::int64_t> timeout_ms = std::nullopt;
    std::string cluster = "C";
  };
  Reply Register(const Registration& r) {
    RegisterBrokerHeader header;
    header.cluster = r.cluster;
    header.broker_name = r.name;
    header.broker_addr = r.addr;
    header.ha_server_addr = r.addr + "2";
    header.broker_id = r.id;
    header.enable_acting_master = r.acting;
    header.zone_name = r.zone;
    header.heartbeat_timeout_ms = r.timeout_ms;
    RegisterBrokerBody body;
    body.data_version = r.version;
    body.topics = r.topics;
    const std::string text = body.Encode();
    header.body_crc32 = BodyCrc(text);
    Fields fields;
    header.AddTo(&fields);
    FieldMap map;
    for (const auto& [name, value] : fields) map[std::string(name)] = std::string(value);
    return Call(RequestCode::kRegisterBroker, map, text, kOurVersion, r.channel);
  }

  std::optional<TopicRouteData> Route(const std::string& topic, FieldMap fields = {}) {
    fields["topic"] = topic;
    const Reply reply = Call(RequestCode::kGetRouteinfoByTopic, fields);
    if (reply.code != ResponseCode::kSuccess) return std::nullopt;
    return TopicRouteData::Parse(reply.body).value();
  }
  std::vector<std::string> RouteBrokers(const std::string& topic) {
    std::vector<std::string> names;
    if (const auto route = Route(topic)) {
      for (const QueueData& queue : route->queues) names.push_back(queue.broker_name);
    }
    return names;
  }
  void Pass(std::chrono::milliseconds time) {
    clock_.Advance(time);
    handler_.Scan();
  }

  ManualClock clock_;
  MemoryFileSystem fs_;
  NameServerOptions options_{.kv_config_path = "/ns/kvConfig.json",
                             .config_store_path = "/ns/namesrv.properties"};
  NameServerConfig config_{options_, fs_};
  KvConfig kv_{"/ns/kvConfig.json", fs_};
  RouteTable routes_{clock_};
  std::vector<MinIdChange> told_;
  bool wanted_save_ = false;
  NameServerHandler handler_{config_,
                             kv_,
                             routes_,
                             clock_,
                             [this](const MinIdChange& change) { told_.push_back(change); },
                             [this] { wanted_save_ = true; }};
  std::shared_ptr<FakeChannel> channel_ = std::make_shared<FakeChannel>(1);
};

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

TEST_F(HandlerTest, RegistrationIsRefusedAsApacheRefusesIt) {
  const Reply one = Register({.topics = {Topic("T")}});
  EXPECT_EQ(one.code, ResponseCode::kSystemError);
  EXPECT_EQ(one.remark, "register broker failed");
  EXPECT_TRUE(one.with_fields);
  EXPECT_THAT(Call(RequestCode::kGetBrokerClusterInfo).body,
              R"({"brokerAddrTable":{},"clusterAddrTable":{}})");

  FieldMap fields{{"clusterName", "C"},
                  {"brokerName", "a"},
                  {"brokerAddr", "x:1"},
                  {"brokerId", "0"},
                  {"bodyCrc32", "5"}};
  EXPECT_EQ(Call(RequestCode::kRegisterBroker, fields, "{}").remark, "crc32 not match");
  fields.erase("bodyCrc32");
  EXPECT_THAT(Call(RequestCode::kRegisterBroker, fields, "not json at all").remark,
              StartsWith("Failed to decode RegisterBrokerBody"));
  EXPECT_EQ(Call(RequestCode::kRegisterBroker, fields).code, ResponseCode::kSuccess);
  fields.erase("brokerId");
  EXPECT_THAT(Call(RequestCode::kRegisterBroker, fields).remark, HasSubstr("brokerId"));
}

// A zlib stream (RFC 1950) of one stored block (RFC 1951, 3.2.4): what any inflater takes.
std::string StoredZlib(const std::string& plain) {
  std::string stream = {'\x78', '\x01', '\x01'};
  const auto size = static_cast<std::uint16_t>(plain.size());
  for (const std::uint16_t number : {size, static_cast<std::uint16_t>(~size)}) {
    stream += static_cast<char>(number & 0xFF);
    stream += static_cast<char>(number >> 8);
  }
  stream += plain;
  std::uint32_t a = 1;
  std::uint32_t b = 0;
  for (const char c : plain) {
    a = (a + static_cast<unsigned char>(c)) % 65'521;
    b = (b + a) % 65'521;
  }
  AppendBigEndian(stream, (b << 16) | a);
  return stream;
}

// As 5.x sends it: compressed, and the header says it is not.
TEST_F(HandlerTest, CompressedRegistrationIsKnownByItsFirstByte) {
  std::string plain;
  const auto text = [&plain](const std::string& s) {
    AppendBigEndian(plain, static_cast<std::int32_t>(s.size()));
    plain += s;
  };
  text("{\"counter\":1}");
  AppendBigEndian(plain, std::int32_t{2});
  text("a 1 1 7 SINGLE_TAG {}");
  text("T 8 4 6 SINGLE_TAG {}");
  text("[]");
  const std::string body = StoredZlib(plain);
  for (const char* flag : {"false", "true"}) {
    EXPECT_EQ(Call(RequestCode::kRegisterBroker,
                   {{"clusterName", "C"},
                    {"brokerName", "a"},
                    {"brokerAddr", "x:1"},
                    {"brokerId", "0"},
                    {"compressed", flag}},
                   body)
                  .code,
              ResponseCode::kSuccess);
  }
  EXPECT_EQ(Route("T")->queues[0].read_queues, 8);
}

TEST_F(HandlerTest, SlaveLearnsItsMasterAndDoesNotPublish) {
  Register({.addr = "m:1", .topics = {Topic("a"), Topic("T")}});
  const Reply slave = Register({.addr = "s:1", .id = 1, .topics = {Topic("a"), Topic("X")}});
  EXPECT_EQ(slave.fields.Text("masterAddr"), "m:1");
  EXPECT_EQ(slave.fields.Text("haServerAddr"), "m:12");
  EXPECT_EQ(Route("X"), std::nullopt);
  EXPECT_EQ(Route("T")->brokers[0].addrs.size(), 2U);
  EXPECT_EQ(
      Call(RequestCode::kGetBrokerMemberGroup, {{"clusterName", "C"}, {"brokerName", "a"}}).body,
      R"({"brokerMemberGroup":{"brokerAddrs":{"0":"m:1","1":"s:1"},"brokerName":"a",)"
      R"("cluster":"C"}})");
  EXPECT_EQ(
      Call(RequestCode::kGetBrokerMemberGroup, {{"clusterName", "x"}, {"brokerName", "no"}}).body,
      R"({"brokerMemberGroup":{"brokerAddrs":{},"brokerName":"no","cluster":"x"}})");
}

TEST_F(HandlerTest, DisconnectUnregistersAtOnce) {
  auto gone = std::make_shared<FakeChannel>(7);
  Register({.topics = {Topic("a"), Topic("T")}, .channel = gone});
  Register({.name = "b", .addr = "2.2.2.2:1", .topics = {Topic("b"), Topic("T")}});
  EXPECT_THAT(RouteBrokers("T"), ElementsAre("a", "b"));
  handler_.OnChannelClosed(gone);
  EXPECT_THAT(RouteBrokers("T"), ElementsAre("b"));
  EXPECT_EQ(Route("a"), std::nullopt);
}

TEST_F(HandlerTest, ConnectionThatABrokerHasLeftDoesNotUnregisterIt) {
  auto old = std::make_shared<FakeChannel>(7);
  Register({.topics = {Topic("a"), Topic("T")}, .channel = old});
  Register({.topics = {Topic("a"), Topic("T")}, .channel = std::make_shared<FakeChannel>(8)});
  handler_.OnChannelClosed(old);
  EXPECT_THAT(RouteBrokers("T"), ElementsAre("a"));
}

TEST_F(HandlerTest, SilentBrokersExpireByTheirOwnTimeoutWhateverTheWallClockSays) {
  Register({.topics = {Topic("a"), Topic("T")}});
  Register({.name = "b", .addr = "b:1", .topics = {Topic("b"), Topic("T")}, .timeout_ms = 10'000});
  clock_.SetWallMs(clock_.WallMs() + 3'600'000);
  Pass(9s);
  EXPECT_THAT(RouteBrokers("T"), ElementsAre("a", "b"));
  Call(RequestCode::kBrokerHeartbeat, {{"clusterName", "C"}, {"brokerAddr", "b:1"}});
  Pass(9s);
  EXPECT_THAT(RouteBrokers("T"), ElementsAre("a", "b"));
  Pass(2s);
  EXPECT_THAT(RouteBrokers("T"), ElementsAre("a"));
  Pass(101s);
  EXPECT_EQ(Route("T"), std::nullopt);
  EXPECT_TRUE(channel_->closed());
}

TEST_F(HandlerTest, UnregisterTakesTheTopicsOfTheLastMember) {
  Register({.addr = "m:1", .topics = {Topic("a"), Topic("T")}});
  Register({.addr = "s:1", .id = 1, .topics = {Topic("a"), Topic("T")}});
  const FieldMap master{
      {"clusterName", "C"}, {"brokerName", "a"}, {"brokerAddr", "m:1"}, {"brokerId", "0"}};
  EXPECT_EQ(Call(RequestCode::kUnregisterBroker, master).code, ResponseCode::kSuccess);
  EXPECT_EQ(Route("T")->brokers[0].addrs, (std::map<std::int64_t, std::string>{{1, "s:1"}}));
  EXPECT_EQ(Call(RequestCode::kUnregisterBroker, master).code, ResponseCode::kSuccess);
  Call(RequestCode::kUnregisterBroker,
       {{"clusterName", "C"}, {"brokerName", "a"}, {"brokerAddr", "s:1"}, {"brokerId", "1"}});
  EXPECT_EQ(Route("T"), std::nullopt);
  EXPECT_EQ(Call(RequestCode::kGetAllTopicListFromNameserver).body, R"({"topicList":[]})");
}

TEST_F(HandlerTest, ProcessWithOlderStateDoesNotTakeOverAnId) {
  const DataVersion newer{.state_version = 5, .timestamp_ms = 1, .counter = 1};
  Register({.addr = "m:1", .topics = {Topic("a"), Topic("T")}, .version = newer});
  const Reply stale = Register({.addr = "z:1", .topics = {Topic("a"), Topic("Z")}});
  EXPECT_EQ(stale.code, ResponseCode::kSuccess);
  EXPECT_EQ(Route("T")->brokers[0].addrs.at(0), "m:1");
  EXPECT_EQ(Route("Z"), std::nullopt);
}

TEST_F(HandlerTest, AddressThatChangesItsIdIsListedOnce) {
  Register({.addr = "m:1", .id = 1, .topics = {Topic("a"), Topic("T")}});
  Register({.addr = "m:1", .id = 0, .topics = {Topic("a"), Topic("T")}});
  EXPECT_EQ(Route("T")->brokers[0].addrs, (std::map<std::int64_t, std::string>{{0, "m:1"}}));
}

TEST_F(HandlerTest, WipedPermissionComesBackWithAChangedDataVersionOnly) {
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

TEST_F(HandlerTest, TrapP20TopicDeletedOnOneBrokerLeavesTheRouteWithinAPeriod) {
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

TEST_F(HandlerTest, IncrementalRegistrationDropsNothing) {
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

TEST_F(HandlerTest, PiecesOfASplitRegistrationAreOneListing) {
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

TEST_F(HandlerTest, SplitRegistrationThatStallsLosesNothing) {
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

TEST_F(HandlerTest, BrokerThatDeletedMostTopicsLosesThemAPeriodLater) {
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

TEST_F(HandlerTest, DeleteWithRegistrationDropsAtOnceWhenSwitchedOn) {
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

TEST_F(HandlerTest, ActingMasterStandsInReadOnly) {
  Call(RequestCode::kUpdateNamesrvConfig, {},
       "supportActingMaster=true\nnotifyMinBrokerIdChanged=true\n");
  Register({.addr = "m:1", .topics = {Topic("a"), Topic("T")}, .acting = true});
  Register({.addr = "s:1", .id = 1, .topics = {Topic("a"), Topic("T")}, .acting = true});
  EXPECT_EQ(Route("T")->queues[0].perm, 6);
  Call(RequestCode::kUnregisterBroker,
       {{"clusterName", "C"}, {"brokerName", "a"}, {"brokerAddr", "m:1"}, {"brokerId", "0"}});
  auto route = Route("T");
  EXPECT_EQ(route->brokers[0].addrs, (std::map<std::int64_t, std::string>{{0, "s:1"}}));
  EXPECT_EQ(route->queues[0].perm, 4);
  ASSERT_EQ(told_.size(), 1U);
  EXPECT_EQ(told_[0].min_id, 1);
  EXPECT_EQ(told_[0].min_addr, "s:1");
  EXPECT_EQ(told_[0].offline_addr, "m:1");
  EXPECT_THAT(told_[0].tell, ElementsAre("s:1"));
  EXPECT_THAT(
      Call(RequestCode::kGetBrokerMemberGroup, {{"clusterName", "C"}, {"brokerName", "a"}}).body,
      HasSubstr(R"({"1":"s:1"})"));
  // The slave's own registration keeps it so; the master's undoes it.
  Register({.addr = "s:1", .id = 1, .topics = {Topic("a"), Topic("T")}, .acting = true});
  EXPECT_EQ(Route("T")->queues[0].perm, 4);
  Register({.addr = "m:1", .topics = {Topic("a"), Topic("T")}, .acting = true});
  EXPECT_EQ(Route("T")->queues[0].perm, 6);
  ASSERT_EQ(told_.size(), 2U);
  EXPECT_EQ(told_[1].min_id, 0);
  EXPECT_THAT(told_[1].tell, ElementsAre("s:1"));
}

TEST_F(HandlerTest, ZoneModeKeepsTheBrokersOfTheZone) {
  Register({.topics = {Topic("a"), Topic("T")}, .zone = "z1"});
  Register({.name = "b", .addr = "b:1", .topics = {Topic("b"), Topic("T")}, .zone = "z2"});
  const auto route = Route("T", {{"__ZONE_NAME", "z2"}, {"__ZONE_MODE", "true"}});
  ASSERT_EQ(route->queues.size(), 1U);
  EXPECT_EQ(route->queues[0].broker_name, "b");
  EXPECT_EQ(Route("T", {{"__ZONE_NAME", "z2"}})->queues.size(), 2U);
}

TEST_F(HandlerTest, KvIsKeptOverARestart) {
  EXPECT_EQ(Call(RequestCode::kPutKvConfig, {{"key", "k"}}).remark, "namespace or key is null");
  const FieldMap k{{"namespace", "N"}, {"key", "k"}, {"value", "v"}};
  EXPECT_EQ(Call(RequestCode::kPutKvConfig, k).code, ResponseCode::kSuccess);
  EXPECT_EQ(Call(RequestCode::kPutKvConfig, {{"namespace", "N"}, {"key", ""}}).code,
            ResponseCode::kSuccess);
  EXPECT_EQ(Call(RequestCode::kGetKvConfig, k).fields.Text("value"), "v");
  EXPECT_EQ(Call(RequestCode::kGetKvlistByNamespace, k).body, R"({"table":{"":"","k":"v"}})");
  const Reply none = Call(RequestCode::kGetKvConfig, {{"namespace", "N"}, {"key", "x"}});
  EXPECT_EQ(none.code, ResponseCode::kQueryNotFound);
  EXPECT_EQ(none.remark, "No config item, Namespace: N Key: x");
  EXPECT_TRUE(none.with_fields);
  EXPECT_EQ(Call(RequestCode::kGetKvlistByNamespace).remark, "No config item, Namespace: null");

  KvConfig again("/ns/kvConfig.json", fs_);
  ASSERT_TRUE(again.Load().has_value());
  EXPECT_EQ(again.Get("N", "k"), "v");

  EXPECT_EQ(Call(RequestCode::kDeleteKvConfig, k).code, ResponseCode::kSuccess);
  EXPECT_EQ(Call(RequestCode::kDeleteKvConfig, k).code, ResponseCode::kSuccess);
  EXPECT_EQ(Call(RequestCode::kGetKvConfig, k).code, ResponseCode::kQueryNotFound);
}

TEST_F(HandlerTest, DamagedKvFileIsSetAsideAndTheOneBeforeIsRead) {
  for (const char* value : {"v1", "v2"}) {
    Call(RequestCode::kPutKvConfig, {{"namespace", "N"}, {"key", "k"}, {"value", value}});
  }
  ASSERT_TRUE(fs_.WriteFile("/ns/kvConfig.json", "{\"configTable\":{\"N").has_value());
  KvConfig again("/ns/kvConfig.json", fs_);
  ASSERT_TRUE(again.Load().has_value());
  EXPECT_EQ(again.Get("N", "k"), "v1");
  EXPECT_TRUE(fs_.Exists("/ns/kvConfig.json.damaged"));
}

TEST_F(HandlerTest, ChangeThatCannotBeWrittenIsNoSuccess) {
  fs_.FailSyncsAfter(0);
  const Reply reply =
      Call(RequestCode::kPutKvConfig, {{"namespace", "N"}, {"key", "k"}, {"value", "v"}});
  EXPECT_EQ(reply.code, ResponseCode::kSystemError);
  EXPECT_THAT(reply.remark, HasSubstr("could not be written"));
}

TEST_F(HandlerTest, OrderConfGoesToBrokersAndWhenEnabledToClients) {
  EXPECT_EQ(Register({.topics = {Topic("a"), Topic("T")}}).body, "");
  Call(RequestCode::kPutKvConfig,
       {{"namespace", "ORDER_TOPIC_CONFIG"}, {"key", "T"}, {"value", "a:4"}});
  EXPECT_EQ(Register({.topics = {Topic("a"), Topic("T")}}).body, R"({"table":{"T":"a:4"}})");
  EXPECT_EQ(Route("T")->order_topic_conf, "");
  Call(RequestCode::kUpdateNamesrvConfig, {}, "orderMessageEnable=true");
  EXPECT_EQ(Route("T")->order_topic_conf, "a:4");
}

TEST_F(HandlerTest, SettingsChangeButForTheBlackListAndLastOverARestart) {
  const Reply black = Call(RequestCode::kUpdateNamesrvConfig, {}, "kvConfigPath=/x\n");
  EXPECT_EQ(black.code, ResponseCode::kNoPermission);
  EXPECT_EQ(black.remark, "Can not update config in black list.");
  EXPECT_FALSE(fs_.Exists("/x"));
  for (const char* body : {"", "noSuchKey=1\n", "\xFF\x00garbage", "listenPort=1\n"}) {
    EXPECT_EQ(Call(RequestCode::kUpdateNamesrvConfig, {}, body).code, ResponseCode::kSuccess);
  }
  Call(RequestCode::kUpdateNamesrvConfig, {}, "waitSecondsForService = 60\nenableTopicList=false");
  const std::string text = Call(RequestCode::kGetNamesrvConfig).body;
  EXPECT_THAT(text, HasSubstr("waitSecondsForService=60\n"));
  EXPECT_THAT(text, HasSubstr("listenPort=9876\n"));
  EXPECT_EQ(Call(RequestCode::kGetUnitTopicList).remark, "disable");
  NameServerConfig again(options_, fs_);
  ASSERT_TRUE(again.Load().has_value());
  EXPECT_EQ(again.Options().wait_seconds_for_service, 60);

  // What nobody changed over the wire follows the start options.
  NameServerOptions edited = options_;
  edited.order_message_enable = true;
  edited.wait_seconds_for_service = 10;
  NameServerConfig started_otherwise(edited, fs_);
  ASSERT_TRUE(started_otherwise.Load().has_value());
  EXPECT_TRUE(started_otherwise.Options().order_message_enable);
  EXPECT_EQ(started_otherwise.Options().wait_seconds_for_service, 60);
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

TEST_F(HandlerTest, DeleteTopicWholeOrInOneCluster) {
  Register({.topics = {Topic("a"), Topic("T")}});
  Register({.name = "b", .addr = "b:1", .topics = {Topic("b"), Topic("T")}, .cluster = "D"});
  Call(RequestCode::kDeleteTopicInNamesrv, {{"topic", "T"}, {"clusterName", "C"}});
  EXPECT_THAT(RouteBrokers("T"), ElementsAre("b"));
  Call(RequestCode::kDeleteTopicInNamesrv, {{"topic", "T"}});
  EXPECT_THAT(RouteBrokers("T"), IsEmpty());
  EXPECT_EQ(Call(RequestCode::kDeleteTopicInNamesrv).code, ResponseCode::kSuccess);
}

TEST_F(HandlerTest, SingleTopicIsAddedForBrokersThatAreThere) {
  Register({.topics = {Topic("a"), Topic("U")}});
  const std::string body =
      R"({"queueDatas":[{"brokerName":"a","perm":6,"readQueueNums":2,"writeQueueNums":2},)"
      R"({"brokerName":"no","perm":6,"readQueueNums":2,"writeQueueNums":2}]})";
  EXPECT_EQ(Call(RequestCode::kRegisterTopicInNamesrv, {{"topic", "T"}}, body).code, 0);
  EXPECT_THAT(RouteBrokers("T"), ElementsAre("a"));
}

TEST_F(HandlerTest, DataVersionIsComparedAndCountsAsASignOfLife) {
  const FieldMap a{
      {"clusterName", "C"}, {"brokerName", "a"}, {"brokerAddr", "1.1.1.1:1"}, {"brokerId", "0"}};
  const Reply unknown = Call(RequestCode::kQueryDataVersion, a, "{\"counter\":1}");
  EXPECT_EQ(unknown.fields.Text("changed"), "true");
  EXPECT_EQ(unknown.body, "");
  Register({.topics = {Topic("a"), Topic("T")}});
  Pass(100s);
  const std::string same = R"({"counter":1,"stateVersion":0,"timestamp":1})";
  const Reply known = Call(RequestCode::kQueryDataVersion, a, same);
  EXPECT_EQ(known.fields.Text("changed"), "false");
  EXPECT_EQ(known.body, same);
  EXPECT_EQ(Call(RequestCode::kQueryDataVersion, a).fields.Text("changed"), "true");
  Pass(100s);
  EXPECT_THAT(RouteBrokers("T"), ElementsAre("a"));
}

TEST_F(HandlerTest, TrapP48SixtyThousandTopicsAreRoutable) {
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
