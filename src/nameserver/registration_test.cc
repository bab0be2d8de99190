// Brokers coming and going: what they tell, and how long it is believed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "nameserver/fake/handler_fixture.h"
#include "protocol/request_code.h"
#include "protocol/response_code.h"

namespace apogee {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

using RegistrationTest = HandlerFixture;

TEST_F(RegistrationTest, RegistrationIsRefusedAsApacheRefusesIt) {
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

TEST_F(RegistrationTest, CompressedRegistrationIsKnownByItsFirstByte) {
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

TEST_F(RegistrationTest, SlaveLearnsItsMasterAndDoesNotPublish) {
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

TEST_F(RegistrationTest, DisconnectUnregistersAtOnce) {
  auto gone = std::make_shared<FakeChannel>(7);
  Register({.topics = {Topic("a"), Topic("T")}, .channel = gone});
  Register({.name = "b", .addr = "2.2.2.2:1", .topics = {Topic("b"), Topic("T")}});
  EXPECT_THAT(RouteBrokers("T"), ElementsAre("a", "b"));
  handler_.OnChannelClosed(gone);
  EXPECT_THAT(RouteBrokers("T"), ElementsAre("b"));
  EXPECT_EQ(Route("a"), std::nullopt);
}

TEST_F(RegistrationTest, ConnectionThatABrokerHasLeftDoesNotUnregisterIt) {
  auto old = std::make_shared<FakeChannel>(7);
  Register({.topics = {Topic("a"), Topic("T")}, .channel = old});
  Register({.topics = {Topic("a"), Topic("T")}, .channel = std::make_shared<FakeChannel>(8)});
  handler_.OnChannelClosed(old);
  EXPECT_THAT(RouteBrokers("T"), ElementsAre("a"));
}

TEST_F(RegistrationTest, SilentBrokersExpireByTheirOwnTimeoutWhateverTheWallClockSays) {
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

TEST_F(RegistrationTest, UnregisterTakesTheTopicsOfTheLastMember) {
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

TEST_F(RegistrationTest, ProcessWithOlderStateDoesNotTakeOverAnId) {
  const DataVersion newer{.state_version = 5, .timestamp_ms = 1, .counter = 1};
  Register({.addr = "m:1", .topics = {Topic("a"), Topic("T")}, .version = newer});
  const Reply stale = Register({.addr = "z:1", .topics = {Topic("a"), Topic("Z")}});
  EXPECT_EQ(stale.code, ResponseCode::kSuccess);
  EXPECT_EQ(Route("T")->brokers[0].addrs.at(0), "m:1");
  EXPECT_EQ(Route("Z"), std::nullopt);
}

TEST_F(RegistrationTest, AddressThatChangesItsIdIsListedOnce) {
  Register({.addr = "m:1", .id = 1, .topics = {Topic("a"), Topic("T")}});
  Register({.addr = "m:1", .id = 0, .topics = {Topic("a"), Topic("T")}});
  EXPECT_EQ(Route("T")->brokers[0].addrs, (std::map<std::int64_t, std::string>{{0, "m:1"}}));
}

TEST_F(RegistrationTest, ActingMasterStandsInReadOnly) {
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

TEST_F(RegistrationTest, DataVersionIsComparedAndCountsAsASignOfLife) {
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

}  // namespace
}  // namespace apogee
