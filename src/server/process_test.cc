#include "server/process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <chrono>
#include <future>
#include <string>

#include "net/event_loop.h"
#include "protocol/request_code.h"
#include "protocol/response_code.h"
#include "remoting/client.h"

namespace apogee {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// A process of its own on free ports with a store in a fresh folder, and a client to ask it.
class ProcessTest : public ::testing::Test {
 protected:
  ProcessTest() {
    std::string pattern = ::testing::TempDir() + "apogee-process-XXXXXX";
    root_ = ::mkdtemp(pattern.data());
  }
  ~ProcessTest() override { static_cast<void>(SystemFileSystem().Remove(root_)); }

  Config ConfigOf() {
    Config config;
    for (const std::string& assignment :
         {std::string("brokerIP1=127.0.0.1"), std::string("bindAddress=127.0.0.1"),
          std::string("listenPort=0"), std::string("brokerName=broker-a"),
          std::string("mappedFileSizeCommitLog=1048576"), "storePathRootDir=" + root_}) {
      EXPECT_TRUE(config.Set(assignment, "test").ok());
    }
    return config;
  }

  void Start(const Config& config) {
    ProcessOptions options;
    options.parts = {.name_server = true, .broker = true};
    options.name_server_port = 0;
    options.host_name = "test-host";
    options.memory_bytes = std::int64_t{1} << 30;
    options.pid = 1;
    auto started = Process::Start(options, config, SystemFileSystem(), SystemClock(),
                                  SystemRandom(), SystemWorkers());
    ASSERT_TRUE(started.ok()) << started.error().message();
    process_ = *std::move(started);
    const std::string text = process_->Addresses();
    const std::size_t comma = text.find(", broker ");
    ASSERT_THAT(text, StartsWith("name server 127.0.0.1:"));
    name_server_ = text.substr(12, comma - 12);
    broker_ = text.substr(comma + 9);
  }

  std::shared_ptr<const Answer> Call(const std::string& address, Command command,
                                     std::string body = {}) {
    std::promise<Result<std::shared_ptr<const Answer>>> promise;
    client_->Call(address, std::move(command), std::move(body), std::chrono::seconds(10),
                  [&](Result<std::shared_ptr<const Answer>> answer) {
                    promise.set_value(std::move(answer));
                  });
    Result<std::shared_ptr<const Answer>> answer = promise.get_future().get();
    EXPECT_TRUE(answer.ok()) << answer.error().message();
    return answer.ok() ? *answer : std::make_shared<Answer>();
  }

  std::shared_ptr<const Answer> Send(const std::string& topic, const std::string& body) {
    Command command;
    command.code = RequestCode::kSendMessageV2;
    command.has_fields = true;
    for (const auto& [name, value] :
         std::initializer_list<std::pair<const char*, std::string>>{{"a", "producers"},
                                                                    {"b", topic},
                                                                    {"c", "TBW102"},
                                                                    {"d", "4"},
                                                                    {"e", "0"},
                                                                    {"f", "0"},
                                                                    {"g", "1"},
                                                                    {"h", "0"},
                                                                    {"i", ""},
                                                                    {"j", "0"},
                                                                    {"k", "false"}}) {
      command.fields.Add(name, value);
    }
    return Call(broker_, std::move(command), body);
  }

  std::shared_ptr<const Answer> AskQueue(std::int32_t code, const std::string& topic) {
    Command command;
    command.code = code;
    command.has_fields = true;
    command.fields.Add("topic", topic);
    command.fields.Add("queueId", "0");
    return Call(broker_, std::move(command));
  }

  std::string root_;
  std::unique_ptr<EventLoops> loops_ = EventLoops::Start(1);
  std::unique_ptr<RemotingClient> client_ = RemotingClient::Create(loops_->at(0));
  std::unique_ptr<Process> process_;
  std::string name_server_;
  std::string broker_;
};

TEST_F(ProcessTest, ATopicThatASendCreatesIsRoutable) {
  Start(ConfigOf());
  const auto sent = Send("orders", "hello");
  ASSERT_EQ(sent->command.code, ResponseCode::kSuccess) << sent->command.remark;
  EXPECT_EQ(sent->command.fields.Text("queueOffset"), "0");

  // Registered by the broker's worker: soon, not at once.
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  std::shared_ptr<const Answer> route;
  do {
    Command ask;
    ask.code = RequestCode::kGetRouteinfoByTopic;
    ask.has_fields = true;
    ask.fields.Add("topic", "orders");
    route = Call(name_server_, std::move(ask));
  } while (route->command.code != ResponseCode::kSuccess &&
           std::chrono::steady_clock::now() < give_up);
  ASSERT_EQ(route->command.code, ResponseCode::kSuccess);
  EXPECT_THAT(std::string(route->command.body), HasSubstr(broker_));
  EXPECT_TRUE(process_->Stop().ok());
}

TEST_F(ProcessTest, MessagesTopicsAndQueuesAreThereAfterAStop) {
  Start(ConfigOf());
  for (int i = 0; i < 10; ++i) {
    ASSERT_EQ(Send("orders", "hello")->command.code, ResponseCode::kSuccess);
  }
  ASSERT_TRUE(process_->Stop().ok());
  EXPECT_FALSE(SystemFileSystem().Exists(root_ + "/abort"));

  Start(ConfigOf());
  EXPECT_EQ(AskQueue(RequestCode::kGetMaxOffset, "orders")->command.fields.Text("offset"), "10");
  EXPECT_EQ(Send("orders", "again")->command.fields.Text("queueOffset"), "10");
  EXPECT_TRUE(process_->Stop().ok());
}

// A send that creates a topic is answered before topics.json is written: a kill in between leaves
// messages only.
TEST_F(ProcessTest, ATopicThatWasNotWrittenDownInTimeIsRestoredFromItsMessages) {
  Start(ConfigOf());
  ASSERT_EQ(Send("orders", "hello")->command.code, ResponseCode::kSuccess);
  ASSERT_TRUE(process_->Stop().ok());
  ASSERT_TRUE(SystemFileSystem().Remove(root_ + "/config/topics.json").ok());
  static_cast<void>(SystemFileSystem().Remove(root_ + "/config/topics.json.bak"));

  Start(ConfigOf());
  Command ask;
  ask.code = RequestCode::kGetTopicConfig;
  ask.has_fields = true;
  ask.fields.Add("topic", "orders");
  const auto answer = Call(broker_, std::move(ask));
  EXPECT_EQ(answer->command.code, ResponseCode::kSuccess);
  EXPECT_THAT(std::string(answer->command.body), HasSubstr("\"readQueueNums\":4"));
  EXPECT_TRUE(process_->Stop().ok());
}

TEST_F(ProcessTest, AStoreInUseIsRefusedAndLeftAlone) {
  Start(ConfigOf());
  ASSERT_EQ(Send("orders", "hello")->command.code, ResponseCode::kSuccess);
  ProcessOptions options;
  options.parts = {.name_server = false, .broker = true};
  options.host_name = "other";
  options.memory_bytes = std::int64_t{1} << 30;
  Config config = ConfigOf();
  ASSERT_TRUE(config.Set("namesrvAddr", name_server_, "test").ok());
  const auto second = Process::Start(options, config, SystemFileSystem(), SystemClock(),
                                     SystemRandom(), SystemWorkers());
  ASSERT_FALSE(second.ok());
  EXPECT_THAT(second.error().message(), HasSubstr("lock"));
  EXPECT_EQ(Send("orders", "hello")->command.fields.Text("queueOffset"), "1");
}

TEST_F(ProcessTest, ABrokerWithoutANameServerSaysWhatToDo) {
  ProcessOptions options;
  options.parts = {.name_server = false, .broker = true};
  options.host_name = "lonely";
  options.memory_bytes = std::int64_t{1} << 30;
  const auto started = Process::Start(options, ConfigOf(), SystemFileSystem(), SystemClock(),
                                      SystemRandom(), SystemWorkers());
  ASSERT_FALSE(started.ok());
  EXPECT_THAT(started.error().message(), HasSubstr("-n host:9876"));
}

}  // namespace
}  // namespace apogee
