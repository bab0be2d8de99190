#include "net/tcp.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <future>
#include <optional>

#include "net/fake/plain_socket.h"

namespace apogee {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

class Echo : public ConnectionHandler {
 public:
  std::size_t OnBytes(Connection& connection, std::string_view input) override {
    connection.out().append(input);
    return input.size();
  }
  void OnDrained(Connection&) override {}
  void OnClose(Connection&) override {}
};

class Collect : public ConnectionHandler {
 public:
  explicit Collect(std::promise<std::string>& line) : line_(line) {}
  std::size_t OnBytes(Connection&, std::string_view input) override {
    if (!input.ends_with('\n')) return 0;
    line_.set_value(std::string(input));
    return input.size();
  }
  void OnDrained(Connection&) override {}
  void OnClose(Connection&) override {}

 private:
  std::promise<std::string>& line_;
};

HandlerFactory MakeEcho() {
  return [](const std::shared_ptr<Connection>&) { return std::make_shared<Echo>(); };
}

Result<std::shared_ptr<Connection>> DialAndWait(EventLoop& loop, const std::string& host,
                                                std::uint16_t port, milliseconds timeout,
                                                HandlerFactory factory) {
  std::promise<std::optional<Result<std::shared_ptr<Connection>>>> done;
  Dial(loop, host, port, timeout, std::move(factory),
       [&](Result<std::shared_ptr<Connection>> result) {
         EXPECT_TRUE(loop.InLoop());
         done.set_value(std::move(result));
       });
  return *done.get_future().get();
}

// A port on which nothing listens: one that was free a moment ago.
std::uint16_t ClosedPort(EventLoops& loops) {
  return (*Listener::Open(loops, "127.0.0.1", 0, MakeEcho()))->port();
}

TEST(Dial, ReachesAListenerByAddressAndByName) {
  const auto loops = EventLoops::Start(2);
  const auto listener = *Listener::Open(*loops, "127.0.0.1", 0, MakeEcho());
  for (const char* host : {"127.0.0.1", "localhost"}) {
    std::promise<std::string> line;
    EventLoop& loop = loops->at(1);
    const auto dialled = DialAndWait(
        loop, host, listener->port(), milliseconds(3000),
        [&](const std::shared_ptr<Connection>&) { return std::make_shared<Collect>(line); });
    ASSERT_TRUE(dialled.ok()) << dialled.error().ToString();
    loop.Post([connection = *dialled] {
      connection->out().append("ping\n");
      connection->Flush();
    });
    EXPECT_EQ(line.get_future().get(), "ping\n");
  }
}

TEST(Dial, RefusedIsUnavailableAndNamesTheTarget) {
  const auto loops = EventLoops::Start(1);
  const std::uint16_t port = ClosedPort(*loops);
  const auto dialled = DialAndWait(loops->at(0), "127.0.0.1", port, milliseconds(3000), MakeEcho());
  ASSERT_FALSE(dialled.ok());
  EXPECT_EQ(dialled.error().code(), ErrorCode::kUnavailable);
  EXPECT_THAT(dialled.error().message(), HasSubstr("127.0.0.1:" + std::to_string(port)));
}

TEST(Dial, GivesUpWhenNobodyAccepts) {
  // A listener whose queue is full: the kernel drops further attempts.
  const int descriptor = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  ASSERT_EQ(::bind(descriptor, reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(::listen(descriptor, 0), 0);
  ASSERT_EQ(::getsockname(descriptor, reinterpret_cast<sockaddr*>(&address), &size), 0);

  const auto loops = EventLoops::Start(1);
  std::optional<Error> error;
  std::vector<std::shared_ptr<Connection>> held;
  for (int i = 0; i < 20 && !error.has_value(); ++i) {
    auto dialled = DialAndWait(loops->at(0), "127.0.0.1", ntohs(address.sin_port),
                               milliseconds(100), MakeEcho());
    if (dialled.ok()) {
      held.push_back(*dialled);
    } else {
      error = dialled.error();
    }
  }
  ::close(descriptor);
  if (!error.has_value()) GTEST_SKIP() << "this kernel takes any number of connections";
  EXPECT_EQ(error->code(), ErrorCode::kTimeout);
}

TEST(Listener, APortInUseIsUnavailableAndNamed) {
  const auto loops = EventLoops::Start(1);
  const auto first = *Listener::Open(*loops, "127.0.0.1", 0, MakeEcho());
  const auto second = Listener::Open(*loops, "127.0.0.1", first->port(), MakeEcho());
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().code(), ErrorCode::kUnavailable);
  EXPECT_THAT(second.error().message(), HasSubstr(std::to_string(first->port())));
}

TEST(Listener, ConnectionsOutliveIt) {
  const auto loops = EventLoops::Start(2);
  auto listener = *Listener::Open(*loops, "127.0.0.1", 0, MakeEcho());
  const std::uint16_t port = listener->port();
  PlainSocket before(port);
  ASSERT_TRUE(before.Write("a"));
  ASSERT_EQ(before.Read(1), "a");
  listener.reset();
  EXPECT_FALSE(PlainSocket(port).connected());
  ASSERT_TRUE(before.Write("b"));
  EXPECT_EQ(before.Read(1), "b");
}

TEST(Listener, ARefusingFactoryClosesTheConnection) {
  const auto loops = EventLoops::Start(1);
  const auto listener = *Listener::Open(*loops, "127.0.0.1", 0,
                                        [](const std::shared_ptr<Connection>&) { return nullptr; });
  PlainSocket socket(listener->port());
  EXPECT_TRUE(socket.AwaitEnd());
}

TEST(InterfaceAddresses, ListsLoopback) {
  bool found = false;
  for (const InterfaceAddress& entry : InterfaceAddresses()) {
    if (entry.address == "127.0.0.1") found = entry.loopback && !entry.v6;
  }
  EXPECT_TRUE(found);
}

TEST(ParseHostPort, SplitsNamesAndBothKindsOfAddresses) {
  const auto name = ParseHostPort("broker-a.local:10911");
  ASSERT_TRUE(name.ok());
  EXPECT_EQ(name->host, "broker-a.local");
  EXPECT_EQ(name->port, 10911);
  const auto v6 = ParseHostPort("[::1]:9876");
  ASSERT_TRUE(v6.ok());
  EXPECT_EQ(v6->host, "::1");
}

TEST(ParseHostPort, RefusesEverythingElseByName) {
  for (const char* text : {"", "host", ":1", "host:", "host:x", "host:1x", "host:65536", "::1:9876",
                           "host:-1", "[]:1"}) {
    const auto parsed = ParseHostPort(text);
    ASSERT_FALSE(parsed.ok()) << text;
    EXPECT_THAT(parsed.error().message(), HasSubstr("\"" + std::string(text) + "\""));
  }
}

}  // namespace
}  // namespace apogee
