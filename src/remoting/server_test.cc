#include "remoting/server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "base/bytes.h"
#include "base/mutex.h"
#include "net/fake/plain_socket.h"
#include "protocol/response_code.h"

namespace apogee {
namespace {

// What a thousand refused connections may cost. A sanitizer keeps freed memory and shadows of it.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define AP_TEST_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define AP_TEST_SANITIZED 1
#endif
#endif
#ifdef AP_TEST_SANITIZED
constexpr std::size_t kGrowthMax = std::size_t{256} << 20;
#else
constexpr std::size_t kGrowthMax = std::size_t{10} << 20;
#endif

using std::chrono::milliseconds;
using ::testing::HasSubstr;

// The traps ask for a second; a crowded machine under a sanitizer gets more.
constexpr milliseconds kSoon{5000};

std::string Frame(std::int32_t code, std::int32_t opaque, std::string_view body = {},
                  std::int32_t flag = 0, HeaderForm form = HeaderForm::kJson) {
  Command command;
  command.code = code;
  command.opaque = opaque;
  command.flag = flag;
  command.version = 401;
  command.language = Language::kGo;
  command.form = form;
  command.body = body;
  std::string frame;
  EncodeCommand(command, &frame);
  return frame;
}

struct Received {
  std::string frame;
  Command command;
  bool ok = false;
};

// The next whole frame.
Received ReadFrame(PlainSocket& socket, milliseconds limit = PlainSocket::kLimit) {
  Received received;
  received.frame = socket.Read(4, limit);
  if (received.frame.size() < 4) return received;
  const auto length = LoadBigEndian<std::uint32_t>(received.frame.data());
  received.frame += socket.Read(length, limit);
  received.ok = DecodeCommand(received.frame, &received.command).ok();
  return received;
}

std::size_t ResidentBytes() {
  std::ifstream statm("/proc/self/statm");
  std::size_t pages = 0;
  statm >> pages >> pages;
  return pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

// Does with a request what its code says.
class CodedHandler : public RequestHandler {
 public:
  static constexpr int kEcho = 1;      // The body comes back.
  static constexpr int kDrop = 2;      // The responder is destroyed unanswered.
  static constexpr int kKeep = 3;      // Kept until TakeKept.
  static constexpr int kLarge = 4;     // 1 MB, pinned.
  static constexpr int kTooLarge = 5;  // More than a frame can hold.
  static constexpr int kWithhold = 6;
  static constexpr int kNotify = 7;  // A one-way request to the client, then the answer.

  void Handle(const Request& request, Responder responder) override {
    EXPECT_TRUE(request.channel->loop().InLoop());
    EXPECT_GT(request.received_ns, 0);
    ++requests;
    Reply reply;
    {
      MutexLock lock(mu_);
      last_channel_ = request.channel;
    }
    switch (request.command.code) {
      case kEcho:
        reply.fields.AddInt("bodyBytes", static_cast<std::int64_t>(request.command.body.size()));
        reply.body = request.command.body;
        responder.Send(std::move(reply));
        return;
      case kDrop:
        return;
      case kKeep: {
        MutexLock lock(mu_);
        kept_.push_back(std::move(responder));
        return;
      }
      case kLarge: {
        const auto pin = std::make_shared<std::string>(1'000'000, 'L');
        reply.body = "head";
        reply.more_body.push_back({"small", nullptr});
        reply.more_body.push_back({*pin, pin});
        responder.Send(std::move(reply));
        return;
      }
      case kTooLarge: {
        const auto pin = std::make_shared<std::string>(1 << 20, 'x');
        for (int piece = 0; piece < 17; ++piece) reply.more_body.push_back({*pin, pin});
        responder.Send(std::move(reply));
        return;
      }
      case kNotify: {
        Command notice;
        notice.code = 40;
        request.channel->SendOneway(std::move(notice), {});
        responder.Send(std::move(reply));
        return;
      }
      case kWithhold:
        responder.Withhold();
        return;
      default:
        responder.Send(Reply::Of(ResponseCode::kRequestCodeNotSupported, "unknown"));
    }
  }
  void OnChannelClosed(const std::shared_ptr<Channel>& channel) override {
    EXPECT_TRUE(channel->loop().InLoop());
    EXPECT_TRUE(channel->closed());
    ++closed;
  }

  std::vector<Responder> TakeKept() {
    MutexLock lock(mu_);
    return std::move(kept_);
  }
  std::size_t kept() {
    MutexLock lock(mu_);
    return kept_.size();
  }
  std::shared_ptr<Channel> last_channel() {
    MutexLock lock(mu_);
    return last_channel_;
  }

  std::atomic<int> requests{0};
  std::atomic<int> closed{0};

 private:
  Mutex mu_;
  std::vector<Responder> kept_ AP_GUARDED_BY(mu_);
  std::shared_ptr<Channel> last_channel_ AP_GUARDED_BY(mu_);
};

class RemotingServerTest : public ::testing::Test {
 protected:
  RemotingServerTest() { Open({}); }

  void Open(ServerOptions options) {
    server_.reset();
    options.name = "test";
    options.address = "127.0.0.1";
    auto opened = RemotingServer::Open(options, *loops_, SystemClock(), handler_);
    ASSERT_TRUE(opened.ok()) << opened.error().ToString();
    server_ = std::move(*opened);
  }

  PlainSocket Connect() { return PlainSocket(server_->port()); }

  CodedHandler handler_;
  std::unique_ptr<EventLoops> loops_ = EventLoops::Start(2);
  std::unique_ptr<RemotingServer> server_;
};

TEST_F(RemotingServerTest, AnswersInTheFormOfTheRequest) {
  PlainSocket socket = Connect();
  for (const HeaderForm form : {HeaderForm::kJson, HeaderForm::kBinary, HeaderForm::kJson}) {
    ASSERT_TRUE(socket.Write(Frame(CodedHandler::kEcho, 77, "hello", 0, form)));
    const Received reply = ReadFrame(socket);
    ASSERT_TRUE(reply.ok);
    EXPECT_EQ(reply.command.form, form);
    EXPECT_EQ(reply.command.opaque, 77);
    EXPECT_EQ(reply.command.flag, kFlagResponse);
    EXPECT_EQ(reply.command.version, kOurVersion);
    EXPECT_EQ(reply.command.fields.Int("bodyBytes", -1), 5);
    EXPECT_EQ(reply.command.body, "hello");
  }
}

TEST_F(RemotingServerTest, TheChannelKnowsLanguageAndVersionOfThePeer) {
  PlainSocket socket = Connect();
  ASSERT_TRUE(socket.Write(Frame(CodedHandler::kEcho, 1)));
  ASSERT_TRUE(ReadFrame(socket).ok);
  EXPECT_EQ(handler_.last_channel()->language(), Language::kGo);
  EXPECT_EQ(handler_.last_channel()->version(), 401);
  EXPECT_THAT(handler_.last_channel()->peer(), HasSubstr("127.0.0.1:"));
}

TEST_F(RemotingServerTest, ManyRequestsOfOneWriteAreAnsweredInOrder) {
  PlainSocket socket = Connect();
  std::string requests;
  for (int i = 0; i < 1000; ++i) {
    requests += Frame(CodedHandler::kEcho, i, std::string(static_cast<std::size_t>(i), 'b'));
  }
  ASSERT_TRUE(socket.Write(requests));
  for (int i = 0; i < 1000; ++i) {
    const Received reply = ReadFrame(socket);
    ASSERT_TRUE(reply.ok);
    ASSERT_EQ(reply.command.opaque, i);
    ASSERT_EQ(reply.command.body.size(), static_cast<std::size_t>(i));
  }
}

// Trap P05: every reply carries the response bit and the request's number; one-way requests get
// none, whatever becomes of them.
TEST_F(RemotingServerTest, RepliesAreMarkedAsSuchAndOnewayRequestsGetNone) {
  PlainSocket socket = Connect();
  for (const HeaderForm form : {HeaderForm::kJson, HeaderForm::kBinary}) {
    for (const int code : {CodedHandler::kEcho, CodedHandler::kDrop, CodedHandler::kLarge,
                           CodedHandler::kTooLarge, 999}) {
      ASSERT_TRUE(socket.Write(Frame(code, 1000 + code, {}, kFlagOneway, form)));
      ASSERT_TRUE(socket.Write(Frame(code, code, {}, 0, form)));
      const Received reply = ReadFrame(socket);
      ASSERT_TRUE(reply.ok);
      EXPECT_EQ(reply.command.opaque, code);
      EXPECT_EQ(reply.command.flag & kFlagResponse, kFlagResponse);
    }
  }
}

TEST_F(RemotingServerTest, ADroppedRequestIsAnsweredWithAnError) {
  PlainSocket socket = Connect();
  ASSERT_TRUE(socket.Write(Frame(CodedHandler::kDrop, 5)));
  const Received reply = ReadFrame(socket);
  ASSERT_TRUE(reply.ok);
  EXPECT_EQ(reply.command.code, ResponseCode::kSystemError);
  EXPECT_EQ(reply.command.opaque, 5);
}

TEST_F(RemotingServerTest, AWithheldAnswerIsNoneAndTheNextRequestIsServed) {
  PlainSocket socket = Connect();
  ASSERT_TRUE(socket.Write(Frame(CodedHandler::kWithhold, 5)));
  ASSERT_TRUE(socket.Write(Frame(CodedHandler::kEcho, 6)));
  EXPECT_EQ(ReadFrame(socket).command.opaque, 6);
}

TEST_F(RemotingServerTest, PinnedPiecesFollowTheBodyInTheSameFrame) {
  PlainSocket socket = Connect();
  ASSERT_TRUE(socket.Write(Frame(CodedHandler::kLarge, 1)));
  const Received reply = ReadFrame(socket);
  ASSERT_TRUE(reply.ok);
  EXPECT_TRUE(reply.command.body == "headsmall" + std::string(1'000'000, 'L'));
}

TEST_F(RemotingServerTest, AnAnswerThatFitsNoFrameBecomesAnError) {
  PlainSocket socket = Connect();
  ASSERT_TRUE(socket.Write(Frame(CodedHandler::kTooLarge, 1)));
  const Received reply = ReadFrame(socket);
  ASSERT_TRUE(reply.ok);
  EXPECT_EQ(reply.command.code, ResponseCode::kSystemError);
  EXPECT_THAT(std::string(reply.command.remark), HasSubstr("16 MiB"));
}

TEST_F(RemotingServerTest, AnswersFromOtherThreadsArriveInAnyOrder) {
  PlainSocket socket = Connect();
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(socket.Write(Frame(CodedHandler::kKeep, i)));
  ASSERT_TRUE(Eventually([&] { return handler_.kept() == 100; }));
  {
    std::vector<Responder> kept = handler_.TakeKept();
    std::vector<std::jthread> threads;
    for (std::size_t t = 0; t < 4; ++t) {
      threads.emplace_back([&kept, t] {
        for (std::size_t i = t; i < kept.size(); i += 4) kept[i].Send(Reply::Of(0, "late"));
      });
    }
  }
  std::vector<int> seen;
  for (int i = 0; i < 100; ++i) seen.push_back(ReadFrame(socket).command.opaque);
  std::sort(seen.begin(), seen.end());
  for (int i = 0; i < 100; ++i) EXPECT_EQ(seen[static_cast<std::size_t>(i)], i);
}

TEST_F(RemotingServerTest, AnAnswerAfterThePeerHasGoneGoesNowhere) {
  {
    PlainSocket socket = Connect();
    ASSERT_TRUE(socket.Write(Frame(CodedHandler::kKeep, 1)));
    ASSERT_TRUE(Eventually([&] { return handler_.kept() == 1; }));
  }
  ASSERT_TRUE(Eventually([&] { return handler_.closed == 1; }));
  handler_.TakeKept().front().Send(Reply::Of(0));
  EXPECT_EQ(server_->connections(), 0U);
}

TEST_F(RemotingServerTest, TheServersOwnRequestsGoOutOnTheClientsConnection) {
  PlainSocket socket = Connect();
  ASSERT_TRUE(socket.Write(Frame(CodedHandler::kEcho, 1, {}, 0, HeaderForm::kBinary)));
  ASSERT_TRUE(ReadFrame(socket).ok);
  Command notice;
  notice.code = 40;
  notice.fields.Add("consumerGroup", "g");
  handler_.last_channel()->SendOneway(std::move(notice), "body");
  const Received received = ReadFrame(socket);
  ASSERT_TRUE(received.ok);
  EXPECT_EQ(received.command.code, 40);
  EXPECT_EQ(received.command.flag, kFlagOneway);
  EXPECT_EQ(received.command.fields.Text("consumerGroup"), "g");
  EXPECT_EQ(received.command.body, "body");
  // What a client answers nevertheless is taken for no request.
  ASSERT_TRUE(socket.Write(Frame(CodedHandler::kEcho, received.command.opaque, {}, kFlagResponse)));
  ASSERT_TRUE(socket.Write(Frame(CodedHandler::kEcho, 9)));
  EXPECT_EQ(ReadFrame(socket).command.opaque, 9);
  EXPECT_EQ(handler_.requests, 2);
}

TEST_F(RemotingServerTest, ANoticeThatARequestLeadsToPrecedesItsAnswer) {
  PlainSocket socket = Connect();
  ASSERT_TRUE(socket.Write(Frame(CodedHandler::kNotify, 11) + Frame(CodedHandler::kEcho, 12)));
  EXPECT_EQ(ReadFrame(socket).command.code, 40);
  EXPECT_EQ(ReadFrame(socket).command.opaque, 11);
  EXPECT_EQ(ReadFrame(socket).command.opaque, 12);
}

// Trap P01.
TEST_F(RemotingServerTest, BrokenFramesEndTheirOwnConnectionOnly) {
  std::atomic<bool> stop{false};
  std::atomic<int> served{0};
  std::jthread sender([&] {
    PlainSocket socket = Connect();
    for (int i = 0; !stop; ++i) {
      if (!socket.Write(Frame(CodedHandler::kEcho, i, "m")) ||
          ReadFrame(socket).command.opaque != i) {
        ADD_FAILURE() << "the bystander failed at " << i;
        return;
      }
      ++served;
    }
  });
  PlainSocket too_short = Connect();
  PlainSocket unknown_form = Connect();
  const int before = served;
  ASSERT_TRUE(too_short.Write(std::string("\0\0\0\3abc", 7)));
  std::string frame = Frame(CodedHandler::kEcho, 1);
  frame[4] = 7;
  ASSERT_TRUE(unknown_form.Write(frame));
  EXPECT_TRUE(too_short.AwaitEnd(kSoon));
  EXPECT_TRUE(unknown_form.AwaitEnd(kSoon));
  EXPECT_TRUE(Eventually([&] { return served > before + 10; }));
  stop = true;
}

TEST_F(RemotingServerTest, RepliesToEarlierRequestsPrecedeTheEndForABrokenFrame) {
  PlainSocket socket = Connect();
  ASSERT_TRUE(socket.Write(Frame(CodedHandler::kEcho, 1, "x") + std::string("\0\0\0\3abc", 7)));
  EXPECT_EQ(ReadFrame(socket).command.opaque, 1);
  EXPECT_TRUE(socket.AwaitEnd(kSoon));
}

// Trap P03.
TEST_F(RemotingServerTest, AThousandForeignConnectionsCostNeitherMemoryNorLog) {
  testing::internal::CaptureStderr();
  const auto knock = [&] {
    PlainSocket socket = Connect();
    EXPECT_TRUE(socket.Write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"));
    EXPECT_TRUE(socket.AwaitEnd(kSoon));
  };
  for (int i = 0; i < 50; ++i) knock();  // What the first ones allocate once is not growth.
  const std::size_t before = ResidentBytes();
  for (int i = 0; i < 1000; ++i) knock();
  EXPECT_TRUE(Eventually([&] { return server_->connections() == 0; }));
  EXPECT_LT(ResidentBytes(), before + kGrowthMax);
  const std::string log = testing::internal::GetCapturedStderr();
  EXPECT_THAT(log, HasSubstr("HTTP/2"));
  EXPECT_LT(std::count(log.begin(), log.end(), '\n'), 50);
  EXPECT_EQ(handler_.requests, 0);
}

TEST_F(RemotingServerTest, AnAnnouncedFrameCostsNoMemoryBeforeItArrives) {
  std::vector<PlainSocket> sockets;
  const std::size_t before = ResidentBytes();
  for (int i = 0; i < 50; ++i) {
    sockets.push_back(Connect());
    std::string start = Frame(CodedHandler::kEcho, 1);
    StoreBigEndian<std::uint32_t>(start.data(), 16'000'000);
    ASSERT_TRUE(sockets.back().Write(start));
  }
  ASSERT_TRUE(Eventually([&] { return server_->connections() == 50; }));
  EXPECT_LT(ResidentBytes(), before + (std::size_t{20} << 20));
}

TEST_F(RemotingServerTest, StopsReadingAboveTheLimitAndGoesOnBelow) {
  ServerOptions options;
  options.in_flight_bytes_max = 1 << 20;
  Open(options);
  PlainSocket socket = Connect();
  const std::string body(100'000, 'x');
  std::jthread writer([&] {
    for (int i = 0; i < 200; ++i) {
      if (!socket.Write(Frame(CodedHandler::kKeep, i, body))) return;
    }
  });
  // 1 MiB and the request that passes it, of 20 MB.
  ASSERT_TRUE(Eventually([&] { return handler_.kept() >= 11; }));
  EXPECT_FALSE(Eventually([&] { return handler_.kept() > 11; }, milliseconds(200)));
  std::atomic<bool> stop{false};
  std::jthread answering([&] {
    while (!stop) {
      for (Responder& responder : handler_.TakeKept()) responder.Send(Reply::Of(0));
      PauseForPoll();
    }
  });
  for (int i = 0; i < 200; ++i) ASSERT_EQ(ReadFrame(socket).command.opaque, i);
  stop = true;
}

TEST_F(RemotingServerTest, APeerThatDoesNotListenIsNotReadAnyMore) {
  ServerOptions options;
  options.in_flight_bytes_max = 4 << 20;
  Open(options);
  PlainSocket socket(server_->port(), 4096);
  std::jthread writer([&] {
    for (int i = 0; i < 100; ++i) {
      if (!socket.Write(Frame(CodedHandler::kLarge, i))) return;
    }
  });
  ASSERT_TRUE(Eventually([&] { return handler_.requests >= 3; }));
  // Kernel buffers take a few replies, ours four; nobody asked for the other ninety.
  EXPECT_FALSE(Eventually([&] { return handler_.requests > 30; }, milliseconds(300)));
  for (int i = 0; i < 100; ++i) ASSERT_EQ(ReadFrame(socket).command.opaque, i);
}

TEST_F(RemotingServerTest, IdleConnectionsAreClosed) {
  ServerOptions options;
  options.idle_limit = milliseconds(100);
  Open(options);
  PlainSocket socket = Connect();
  EXPECT_TRUE(socket.AwaitEnd());
  EXPECT_TRUE(Eventually([&] { return handler_.closed == 1; }));
}

TEST_F(RemotingServerTest, DrainWaitsForAnswersThenEndsAll) {
  PlainSocket socket = Connect();
  ASSERT_TRUE(socket.Write(Frame(CodedHandler::kKeep, 1)));
  ASSERT_TRUE(Eventually([&] { return handler_.kept() == 1; }));
  std::atomic<bool> drained{false};
  std::jthread draining([&] {
    server_->Drain(milliseconds(10'000));
    drained = true;
  });
  EXPECT_TRUE(Eventually([&] { return !Connect().connected(); }));
  EXPECT_FALSE(drained);
  handler_.TakeKept().front().Send(Reply::Of(0, "in time"));
  EXPECT_EQ(ReadFrame(socket).command.remark, "in time");
  EXPECT_TRUE(socket.AwaitEnd());
  socket.Close();
  draining.join();
  EXPECT_EQ(server_->connections(), 0U);
  // A knock of the poll above may have been let in at the last moment.
  EXPECT_GE(handler_.closed, 1);
}

TEST_F(RemotingServerTest, DrainGivesUpAtItsLimit) {
  PlainSocket socket = Connect();
  ASSERT_TRUE(socket.Write(Frame(CodedHandler::kKeep, 1)));
  ASSERT_TRUE(Eventually([&] { return handler_.kept() == 1; }));
  server_->Drain(milliseconds(50));
  EXPECT_EQ(server_->connections(), 0U);
  EXPECT_TRUE(socket.AwaitEnd());
}

TEST_F(RemotingServerTest, ChannelsCloseOnRequest) {
  PlainSocket socket = Connect();
  ASSERT_TRUE(socket.Write(Frame(CodedHandler::kEcho, 1)));
  ASSERT_TRUE(ReadFrame(socket).ok);
  handler_.last_channel()->Close();
  EXPECT_TRUE(socket.AwaitEnd());
  socket.Close();
  EXPECT_TRUE(Eventually([&] { return handler_.closed == 1; }));
}

}  // namespace
}  // namespace apogee
