// What operators keep at the name server: pairs and settings.
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

using testing::HasSubstr;

using SettingsTest = HandlerFixture;

TEST_F(SettingsTest, KvIsKeptOverARestart) {
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

TEST_F(SettingsTest, DamagedKvFileIsSetAsideAndTheOneBeforeIsRead) {
  for (const char* value : {"v1", "v2"}) {
    Call(RequestCode::kPutKvConfig, {{"namespace", "N"}, {"key", "k"}, {"value", value}});
  }
  ASSERT_TRUE(fs_.WriteFile("/ns/kvConfig.json", "{\"configTable\":{\"N").has_value());
  KvConfig again("/ns/kvConfig.json", fs_);
  ASSERT_TRUE(again.Load().has_value());
  EXPECT_EQ(again.Get("N", "k"), "v1");
  EXPECT_TRUE(fs_.Exists("/ns/kvConfig.json.damaged"));
}

TEST_F(SettingsTest, ChangeThatCannotBeWrittenIsNoSuccess) {
  fs_.FailSyncsAfter(0);
  const Reply reply =
      Call(RequestCode::kPutKvConfig, {{"namespace", "N"}, {"key", "k"}, {"value", "v"}});
  EXPECT_EQ(reply.code, ResponseCode::kSystemError);
  EXPECT_THAT(reply.remark, HasSubstr("could not be written"));
}

TEST_F(SettingsTest, OrderConfGoesToBrokersAndWhenEnabledToClients) {
  EXPECT_EQ(Register({.topics = {Topic("a"), Topic("T")}}).body, "");
  Call(RequestCode::kPutKvConfig,
       {{"namespace", "ORDER_TOPIC_CONFIG"}, {"key", "T"}, {"value", "a:4"}});
  EXPECT_EQ(Register({.topics = {Topic("a"), Topic("T")}}).body, R"({"table":{"T":"a:4"}})");
  EXPECT_EQ(Route("T")->order_topic_conf, "");
  Call(RequestCode::kUpdateNamesrvConfig, {}, "orderMessageEnable=true");
  EXPECT_EQ(Route("T")->order_topic_conf, "a:4");
}

TEST_F(SettingsTest, SettingsChangeButForTheBlackListAndLastOverARestart) {
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

}  // namespace
}  // namespace apogee
