#include "net/connection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <future>
#include <string>
#include <thread>

#include "net/fake/plain_socket.h"
#include "net/tcp.h"

namespace apogee {
namespace {

using std::chrono::milliseconds;

// What a test wants to happen, and what has happened.
struct Script {
  std::function<std::size_t(Connection&, std::string_view)> on_bytes = [](Connection& connection,
                                                                          std::string_view input) {
    connection.out().append(input);
    return input.size();
  };
  std::function<void(Connection&)> on_open = [](Connection&) {};
  std::function<void(Connection&)> on_drained = [](Connection&) {};
  std::atomic<std::size_t> wanted{0};
  std::atomic<int> opened{0};
  std::atomic<int> closed{0};
  std::atomic<int> drained{0};
  std::atomic<int> calls{0};
  std::atomic<std::size_t> largest_input{0};
};

class ScriptedHandler : public ConnectionHandler {
 public:
  ScriptedHandler(Script& script, std::shared_ptr<Connection> connection)
      : script_(script), connection_(std::move(connection)) {}

  std::size_t OnBytes(Connection& connection, std::string_view input) override {
    EXPECT_TRUE(connection.loop().InLoop());
    EXPECT_FALSE(over_);
    ++script_.calls;
    script_.largest_input = std::max(script_.largest_input.load(), input.size());
    return script_.on_bytes(connection, input);
  }
  std::size_t BytesWanted() const override { return script_.wanted; }
  void OnDrained(Connection& connection) override {
    EXPECT_FALSE(over_);
    ++script_.drained;
    script_.on_drained(connection);
  }
  void OnClose(Connection& connection) override {
    EXPECT_TRUE(connection.loop().InLoop());
    EXPECT_TRUE(connection.closed());
    EXPECT_FALSE(over_);
    over_ = true;
    ++script_.closed;
  }

 private:
  Script& script_;
  const std::shared_ptr<Connection> connection_;  // The usual cycle; it must come apart by itself.
  bool over_ = false;
};

class ConnectionTest : public ::testing::Test {
 protected:
  ConnectionTest() {
    auto listener =
        Listener::Open(*loops_, "127.0.0.1", 0, [this](const std::shared_ptr<Connection>& made) {
          ++script_.opened;
          last_ = made;
          script_.on_open(*made);
          return std::make_shared<ScriptedHandler>(script_, made);
        });
    EXPECT_TRUE(listener.ok());
    listener_ = std::move(*listener);
  }

  PlainSocket Connect() { return PlainSocket(listener_->port()); }

  // Of the newest connection; one loop only, so it is quiet while a task runs.
  template <typename Action>
  void OnLoop(Action action) {
    std::promise<void> done;
    loops_->at(0).Post([&] {
      action(last_.lock());
      done.set_value();
    });
    done.get_future().wait();
  }

  Script script_;
  std::weak_ptr<Connection> last_;
  std::unique_ptr<EventLoops> loops_ = EventLoops::Start(1);
  std::unique_ptr<Listener> listener_;
};

TEST_F(ConnectionTest, EchoesAndNamesItsEnds) {
  PlainSocket socket = Connect();
  ASSERT_TRUE(socket.Write("hello"));
  EXPECT_EQ(socket.Read(5), "hello");
  OnLoop([&](const std::shared_ptr<Connection>& connection) {
    EXPECT_TRUE(connection->peer().starts_with("127.0.0.1:"));
    EXPECT_EQ(connection->local(), "127.0.0.1:" + std::to_string(listener_->port()));
  });
}

TEST_F(ConnectionTest, AnUnfinishedFrameIsOfferedAgainWithWhatComesBehind) {
  script_.on_bytes = [](Connection& connection, std::string_view input) -> std::size_t {
    const std::size_t end = input.rfind('\n');
    if (end == std::string_view::npos) return 0;
    connection.out().append(input.substr(0, end + 1));
    return end + 1;
  };
  PlainSocket socket = Connect();
  ASSERT_TRUE(socket.Write("ab"));
  ASSERT_TRUE(Eventually([&] { return script_.calls >= 1; }));
  ASSERT_TRUE(socket.Write("c\nde"));
  EXPECT_EQ(socket.Read(4), "abc\n");
  ASSERT_TRUE(socket.Write("f\n"));
  EXPECT_EQ(socket.Read(4), "def\n");
}

TEST_F(ConnectionTest, ALargeFrameArrivesWholeAndInFewCalls) {
  constexpr std::size_t kFrame = 12 * 1024 * 1024;
  script_.wanted = kFrame;
  script_.on_bytes = [](Connection& connection, std::string_view input) -> std::size_t {
    if (input.size() < kFrame) return 0;
    for (std::size_t i = 0; i < kFrame; ++i) {
      if (static_cast<unsigned char>(input[i]) != i % 251) ADD_FAILURE() << "byte " << i;
    }
    connection.out().append("ok");
    return kFrame;
  };
  std::string frame(kFrame, 0);
  for (std::size_t i = 0; i < kFrame; ++i) frame[i] = static_cast<char>(i % 251);
  PlainSocket socket = Connect();
  ASSERT_TRUE(socket.Write(frame));
  EXPECT_EQ(socket.Read(2), "ok");
  EXPECT_LE(script_.calls, 2);  // The first comes before the handler can say what it wants.
}

TEST_F(ConnectionTest, PinnedPiecesLeaveInTheOrderQueuedAndAreLetGo) {
  auto pin = std::make_shared<std::string>(3'000'000, 'p');
  const std::weak_ptr<std::string> alive = pin;
  script_.on_bytes = [&](Connection& connection, std::string_view input) {
    connection.out().append("<");
    connection.SendPinned(*pin, pin);
    connection.out().append("|");
    connection.SendPinned("q", nullptr);
    connection.out().append(">");
    pin.reset();
    return input.size();
  };
  PlainSocket socket = Connect();
  ASSERT_TRUE(socket.Write("x"));
  const std::string expected = "<" + std::string(3'000'000, 'p') + "|q>";
  EXPECT_TRUE(socket.Read(expected.size()) == expected);
  EXPECT_TRUE(Eventually([&] { return alive.expired(); }));
}

TEST_F(ConnectionTest, PausedItReadsNothingAndResumedItOffersWhatWasLeft) {
  std::atomic<bool> stop{true};
  script_.on_bytes = [&](Connection& connection, std::string_view input) -> std::size_t {
    if (stop) {
      connection.PauseReading();
      return 1;
    }
    connection.out().append(input);
    return input.size();
  };
  PlainSocket socket = Connect();
  ASSERT_TRUE(socket.Write("abc"));
  ASSERT_TRUE(Eventually([&] { return script_.calls == 1; }));
  // The kernel's buffers fill up and then the peer cannot write any more.
  const std::string block(1 << 20, 'x');
  std::size_t written = 0;
  std::size_t last = 1;
  while (last > 0) {
    last = socket.WriteSome(block);
    written += last;
    PauseForPoll();
  }
  EXPECT_EQ(script_.calls, 1);
  stop = false;
  OnLoop([](const std::shared_ptr<Connection>& connection) { connection->ResumeReading(); });
  EXPECT_EQ(socket.Read(written + 2).size(), written + 2);
}

TEST_F(ConnectionTest, ResumedWithinTheCallItOffersTheRestOnce) {
  script_.on_bytes = [&](Connection& connection, std::string_view input) -> std::size_t {
    connection.PauseReading();
    connection.ResumeReading();
    connection.out().push_back(input.front());
    return 1;
  };
  PlainSocket socket = Connect();
  ASSERT_TRUE(socket.Write("abcdef"));
  EXPECT_EQ(socket.Read(6), "abcdef");
}

TEST_F(ConnectionTest, TellsWhenItsOutputHasDrained) {
  script_.on_bytes = [](Connection& connection, std::string_view input) {
    connection.out().append(8'000'000, 'x');
    return input.size();
  };
  script_.on_drained = [](Connection& connection) { connection.out().append("drained"); };
  PlainSocket socket(listener_->port(), 4096);
  ASSERT_TRUE(socket.Write("go"));
  ASSERT_TRUE(Eventually([&] { return script_.calls >= 1; }));
  EXPECT_EQ(script_.drained, 0);
  EXPECT_EQ(socket.Read(8'000'000).size(), 8'000'000U);
  EXPECT_EQ(socket.Read(7), "drained");
  EXPECT_EQ(script_.drained, 1);
}

TEST_F(ConnectionTest, PeersEndClosesItOnce) {
  PlainSocket socket = Connect();
  ASSERT_TRUE(socket.Write("a"));
  ASSERT_EQ(socket.Read(1), "a");
  socket.Close();
  EXPECT_TRUE(Eventually([&] { return script_.closed == 1; }));
  EXPECT_TRUE(Eventually([&] { return last_.expired(); }));  // Nothing holds it any more.
}

TEST_F(ConnectionTest, PeersResetClosesItWhileItWrites) {
  script_.on_bytes = [](Connection& connection, std::string_view input) {
    connection.out().append(50'000'000, 'x');
    return input.size();
  };
  PlainSocket socket = Connect();
  ASSERT_TRUE(socket.Write("a"));
  ASSERT_EQ(socket.Read(1000).size(), 1000U);
  socket.Reset();
  EXPECT_TRUE(Eventually([&] { return script_.closed == 1; }));
  EXPECT_TRUE(Eventually([&] { return last_.expired(); }));
}

TEST_F(ConnectionTest, CloseNowWithinACallDropsTheOutput) {
  script_.on_bytes = [](Connection& connection, std::string_view input) {
    connection.out().append("never seen");
    connection.Close(Connection::CloseMode::kNow);
    return input.size();
  };
  PlainSocket socket = Connect();
  ASSERT_TRUE(socket.Write("a"));
  EXPECT_EQ(socket.Read(1), "");
  EXPECT_TRUE(Eventually([&] { return script_.closed == 1; }));
}

TEST_F(ConnectionTest, CloseAfterFlushDeliversAllThenEnds) {
  script_.on_bytes = [](Connection& connection, std::string_view input) {
    connection.out().append(5'000'000, 'x');
    connection.Close(Connection::CloseMode::kAfterFlush);
    EXPECT_TRUE(connection.closed());
    return input.size();
  };
  PlainSocket socket = Connect();
  ASSERT_TRUE(socket.Write(std::string(300'000, 'a')));  // More than one read: some is never read.
  EXPECT_EQ(socket.Read(5'000'000).size(), 5'000'000U);
  EXPECT_TRUE(socket.AwaitEnd());
  socket.Close();
  EXPECT_TRUE(Eventually([&] { return script_.closed == 1; }));
}

TEST_F(ConnectionTest, SilenceBeyondTheIdleLimitClosesItAndActivityDoesNot) {
  script_.on_open = [](Connection& connection) { connection.SetIdleLimit(milliseconds(400)); };
  PlainSocket quiet = Connect();
  PlainSocket busy = Connect();
  const auto begin = std::chrono::steady_clock::now();
  std::jthread chatter([&](const std::stop_token& stopped) {
    while (!stopped.stop_requested()) {
      busy.Write("x");
      if (busy.Read(1) != "x") return;
      std::this_thread::sleep_for(milliseconds(10));
    }
  });
  EXPECT_TRUE(quiet.AwaitEnd());
  EXPECT_GE(std::chrono::steady_clock::now() - begin, milliseconds(350));
  EXPECT_TRUE(Eventually([&] { return script_.closed == 1; }));
  EXPECT_FALSE(Eventually([&] { return script_.closed > 1; }, milliseconds(500)));
  chatter.request_stop();
}

TEST_F(ConnectionTest, EndingTheLoopsTellsEveryLiveConnection) {
  std::vector<PlainSocket> sockets;
  for (int i = 0; i < 20; ++i) sockets.push_back(Connect());
  ASSERT_TRUE(Eventually([&] { return script_.opened == 20; }));
  listener_.reset();
  loops_->Stop();
  EXPECT_EQ(script_.closed, 20);
  loops_.reset();
  EXPECT_TRUE(last_.expired());
}

TEST_F(ConnectionTest, AThousandConnectionsComeAndGo) {
  std::vector<PlainSocket> sockets;
  for (int i = 0; i < 1000; ++i) {
    sockets.push_back(Connect());
    ASSERT_TRUE(sockets.back().connected()) << i;
  }
  for (PlainSocket& socket : sockets) ASSERT_TRUE(socket.Write("x"));
  for (PlainSocket& socket : sockets) ASSERT_EQ(socket.Read(1), "x");
  sockets.clear();
  EXPECT_TRUE(Eventually([&] { return script_.closed == 1000; }));
}

}  // namespace
}  // namespace apogee
