#include "remoting/client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <optional>
#include <string>
#include <vector>

#include "net/fake/plain_socket.h"
#include "remoting/server.h"

namespace apogee {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

using CallResult = Result<std::shared_ptr<const Answer>>;

// Answers code 1 with the body, keeps everything else until the test ends.
class Partner : public RequestHandler {
 public:
  void Handle(const Request& request, Responder responder) override {
    ++requests;
    if (request.command.code != 1) {
      kept_.push_back(std::move(responder));
      return;
    }
    Reply reply;
    reply.fields.Add("name", request.command.fields.Text("name"));
    reply.body = request.command.body;
    responder.Send(std::move(reply));
  }
  void OnChannelClosed(const std::shared_ptr<Channel>&) override {}

  std::atomic<int> requests{0};

 private:
  std::vector<Responder> kept_;  // On the server's only loop.
};

class RemotingClientTest : public ::testing::Test {
 protected:
  RemotingClientTest() { OpenServer(0); }

  void OpenServer(std::uint16_t port) {
    ServerOptions options;
    options.name = "test";
    options.address = "127.0.0.1";
    options.port = port;
    auto opened = RemotingServer::Open(options, *server_loops_, SystemClock(), partner_);
    ASSERT_TRUE(opened.ok()) << opened.error().ToString();
    server_ = std::move(*opened);
    address_ = "127.0.0.1:" + std::to_string(server_->port());
  }

  std::future<CallResult> Start(int code, std::string body = {},
                                milliseconds timeout = milliseconds(10'000)) {
    auto promise = std::make_shared<std::promise<CallResult>>();
    std::future<CallResult> result = promise->get_future();
    Command command;
    command.code = code;
    command.fields.Add("name", "value");
    client_->Call(address_, std::move(command), std::move(body), timeout,
                  [promise](CallResult answer) { promise->set_value(std::move(answer)); });
    return result;
  }

  Partner partner_;
  std::unique_ptr<EventLoops> server_loops_ = EventLoops::Start(1);
  std::unique_ptr<EventLoops> loops_ = EventLoops::Start(1);
  std::unique_ptr<RemotingServer> server_;
  std::string address_;
  std::unique_ptr<RemotingClient> client_ = RemotingClient::Create(loops_->at(0));
};

TEST_F(RemotingClientTest, MatchesAnswersToCallsOverOneConnection) {
  std::vector<std::future<CallResult>> calls;
  for (int i = 0; i < 200; ++i) calls.push_back(Start(1, std::to_string(i)));
  for (int i = 0; i < 200; ++i) {
    const CallResult answer = calls[static_cast<std::size_t>(i)].get();
    ASSERT_TRUE(answer.ok()) << answer.error().ToString();
    EXPECT_EQ((*answer)->command.body, std::to_string(i));
    EXPECT_EQ((*answer)->command.fields.Text("name"), "value");
  }
  EXPECT_EQ(server_->connections(), 1U);
}

TEST_F(RemotingClientTest, ACallWithoutAnswerTimesOutAndOthersGoOn) {
  const CallResult silent = Start(2, {}, milliseconds(50)).get();
  ASSERT_FALSE(silent.ok());
  EXPECT_EQ(silent.error().code(), ErrorCode::kTimeout);
  EXPECT_THAT(silent.error().message(), HasSubstr(address_));
  EXPECT_TRUE(Start(1).get().ok());
}

TEST_F(RemotingClientTest, OnewayArrivesAndWaitsForNothing) {
  Command command;
  command.code = 1;
  client_->SendOneway(address_, std::move(command), "x");
  EXPECT_TRUE(Eventually([&] { return partner_.requests == 1; }));
}

TEST_F(RemotingClientTest, ABrokenConnectionFailsItsCallsAndTheNextCallMakesANewOne) {
  std::future<CallResult> open = Start(2);
  ASSERT_TRUE(Eventually([&] { return partner_.requests == 1; }));
  const std::uint16_t port = server_->port();
  server_.reset();
  const CallResult failed = open.get();
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().code(), ErrorCode::kUnavailable);

  const CallResult refused = Start(1).get();
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code(), ErrorCode::kUnavailable);

  OpenServer(port);
  EXPECT_TRUE(Start(1).get().ok());
}

TEST_F(RemotingClientTest, AnUnreadableAddressFailsTheCall) {
  address_ = "nowhere";
  const CallResult failed = Start(1).get();
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().code(), ErrorCode::kInvalidArgument);
}

TEST_F(RemotingClientTest, BoundsTheCallsThatWait) {
  std::vector<std::future<CallResult>> calls;
  for (int i = 0; i < 10'001; ++i) calls.push_back(Start(2, {}, milliseconds(60'000)));
  const CallResult last = calls.back().get();
  ASSERT_FALSE(last.ok());
  EXPECT_EQ(last.error().code(), ErrorCode::kResourceExhausted);
}

TEST_F(RemotingClientTest, EndingTheClientFailsOpenCalls) {
  std::future<CallResult> open = Start(2);
  ASSERT_TRUE(Eventually([&] { return partner_.requests == 1; }));
  client_.reset();
  ASSERT_EQ(open.wait_for(milliseconds(0)), std::future_status::ready);
  EXPECT_EQ(open.get().error().code(), ErrorCode::kUnavailable);
}

}  // namespace
}  // namespace apogee
