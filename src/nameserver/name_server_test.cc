// The whole name server behind a real socket.
#include "nameserver/name_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <string>

#include "base/crc32.h"
#include "env/fake/memory_file_system.h"
#include "protocol/register_broker.h"
#include "protocol/request_code.h"
#include "protocol/topic_route.h"
#include "remoting/client.h"

namespace apogee {
namespace {

using namespace std::chrono_literals;

class NameServerTest : public testing::Test {
 protected:
  void Open() {
    auto opened = NameServer::Open({.bind_address = "127.0.0.1",
                                    .listen_port = 0,
                                    .kv_config_path = "/ns/kvConfig.json",
                                    .config_store_path = ""},
                                   *loops_, fs_, SystemClock(), SystemWorkers());
    ASSERT_TRUE(opened.ok()) << opened.error().message();
    server_ = std::move(*opened);
  }

  std::shared_ptr<const Answer> Ask(RemotingClient& client, Command command,
                                    std::string body = {}) {
    command.version = kOurVersion;
    auto promise = std::make_shared<std::promise<std::shared_ptr<const Answer>>>();
    auto future = promise->get_future();
    client.Call("127.0.0.1:" + std::to_string(server_->port()), std::move(command), std::move(body),
                10s, [promise](Result<std::shared_ptr<const Answer>> answer) {
                  promise->set_value(answer.ok() ? *answer : nullptr);
                });
    return future.get();
  }
  std::shared_ptr<const Answer> Ask(RemotingClient& client, std::int32_t code,
                                    std::initializer_list<std::pair<const char*, const char*>> fs) {
    Command command;
    command.code = code;
    for (const auto& [name, value] : fs) command.fields.AddView(name, value);
    return Ask(client, std::move(command));
  }

  std::unique_ptr<EventLoops> loops_ = EventLoops::Start(1);
  MemoryFileSystem fs_;
  std::unique_ptr<NameServer> server_;
};

TEST_F(NameServerTest, BrokerIsRoutedWhileItsConnectionLives) {
  Open();
  auto client = RemotingClient::Create(loops_->at(0));
  auto broker = RemotingClient::Create(loops_->at(0));
  RegisterBrokerHeader header;
  header.cluster = "C";
  header.broker_name = "a";
  header.broker_addr = "127.0.0.1:1";
  RegisterBrokerBody body;
  for (const char* name : {"a", "T"}) {
    body.topics.emplace_back();
    body.topics.back().name = name;
  }
  const std::string text = body.Encode();
  header.body_crc32 = BodyCrc(text);
  Command command;
  command.code = RequestCode::kRegisterBroker;
  header.AddTo(&command.fields);
  const auto registered = Ask(*broker, std::move(command), text);
  ASSERT_NE(registered, nullptr);
  EXPECT_EQ(registered->command.code, 0);

  const auto route = Ask(*client, RequestCode::kGetRouteinfoByTopic, {{"topic", "T"}});
  ASSERT_NE(route, nullptr);
  ASSERT_EQ(route->command.code, 0) << route->command.remark;
  EXPECT_EQ(TopicRouteData::Parse(route->command.body)->brokers[0].addrs.at(0), "127.0.0.1:1");

  broker.reset();  // Its connection ends.
  const auto deadline = std::chrono::steady_clock::now() + 10s;
  std::int32_t code = 0;
  while (code == 0 && std::chrono::steady_clock::now() < deadline) {
    code = Ask(*client, RequestCode::kGetRouteinfoByTopic, {{"topic", "T"}})->command.code;
  }
  EXPECT_EQ(code, 17);
  client.reset();
  server_->Stop(1s);
  server_.reset();
}

TEST_F(NameServerTest, KvSurvivesARestart) {
  Open();
  auto client = RemotingClient::Create(loops_->at(0));
  const auto put =
      Ask(*client, RequestCode::kPutKvConfig, {{"namespace", "N"}, {"key", "k"}, {"value", "v"}});
  ASSERT_NE(put, nullptr);
  EXPECT_EQ(put->command.code, 0);
  server_.reset();
  Open();
  const auto got = Ask(*client, RequestCode::kGetKvConfig, {{"namespace", "N"}, {"key", "k"}});
  ASSERT_NE(got, nullptr);
  EXPECT_EQ(got->command.fields.Text("value"), "v");
  client.reset();
  server_.reset();
}

}  // namespace
}  // namespace apogee
