// The floor under every figure: the same frames over the same network and codec, against a server
// that answers and stores nothing.
#include <fmt/core.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <string>

#include "env/clock.h"
#include "load/options.h"
#include "load/workload.h"
#include "protocol/response_code.h"
#include "remoting/server.h"

namespace apogee {
namespace {

// Answers like a broker that has stored the message, with the same fields.
class EchoHandler final : public RequestHandler {
 public:
  void Handle(const Request&, Responder responder) override {
    if (responder.oneway()) return;
    const std::int64_t offset = next_offset_.fetch_add(1, std::memory_order_relaxed);
    Reply reply = Reply::Of(ResponseCode::kSuccess);
    reply.fields.AddView("msgId", "7F00000100002A9F0000000000000000");
    reply.fields.AddInt("queueId", 0);
    reply.fields.AddInt("queueOffset", offset);
    reply.fields.AddView("MSG_REGION", "DefaultRegion");
    reply.fields.AddView("TRACE_ON", "true");
    responder.Send(std::move(reply));
  }
  void OnChannelClosed(const std::shared_ptr<Channel>&) override {}

 private:
  std::atomic<std::int64_t> next_offset_{0};
};

// Serves until `until` (a descriptor) ends; the port is told first.
template <typename Tell>
int Serve(const BenchOptions& options, int until, Tell tell) {
  EchoHandler handler;
  const auto loops = EventLoops::Start(options.server_threads);
  const auto server =
      RemotingServer::Open({.name = "echo", .address = "127.0.0.1", .port = options.serve_port},
                           *loops, SystemClock(), handler);
  if (!server.ok()) return Refuse(server.error());
  tell((*server)->port());
  std::array<char, 64> ignored;
  while (::read(until, ignored.data(), ignored.size()) > 0) {
  }
  return 0;
}

// A server in a process of its own, so that its CPU time can be told from ours. Ends with us.
class EchoProcess {
 public:
  static Result<std::unique_ptr<EchoProcess>> Fork(const BenchOptions& options) {
    std::array<int, 2> life{};  // Ours to keep open, the child's to wait on.
    std::array<int, 2> port{};
    if (::pipe(life.data()) != 0 || ::pipe(port.data()) != 0) {
      return Fail(ErrorCode::kIo, "pipe failed");
    }
    const pid_t pid = ::fork();
    if (pid < 0) return Fail(ErrorCode::kIo, "fork failed");
    if (pid == 0) {
      ::close(life[1]);
      ::close(port[0]);
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      const int code = Serve(options, life[0], [&](std::uint16_t number) {
        [[maybe_unused]] const auto written = ::write(port[1], &number, sizeof(number));
        ::close(port[1]);
      });
      std::_Exit(code);
    }
    ::close(life[0]);
    ::close(port[1]);
    auto process = std::make_unique<EchoProcess>(pid, life[1]);
    const bool told = ::read(port[0], &process->port_, sizeof(port_)) == sizeof(port_);
    ::close(port[0]);
    if (!told) return Fail(ErrorCode::kUnavailable, "the echo server did not start");
    return process;
  }

  EchoProcess(pid_t pid, int life) : pid_(pid), life_(life) {}
  ~EchoProcess() {
    ::close(life_);
    ::waitpid(pid_, nullptr, 0);
  }
  EchoProcess(const EchoProcess&) = delete;
  EchoProcess& operator=(const EchoProcess&) = delete;

  pid_t pid() const { return pid_; }
  std::uint16_t port() const { return port_; }

 private:
  const pid_t pid_;
  const int life_;
  std::uint16_t port_ = 0;
};

}  // namespace

int RunEcho(const BenchOptions& options) {
  if (Status good = CheckOptions(options); !good.ok()) return Refuse(good.error());
  if (options.serve) {
    return Serve(options, STDIN_FILENO, [](std::uint16_t port) {
      fmt::print("ready: echo 127.0.0.1:{}\n", port);
      std::fflush(stdout);
    });
  }
  const auto server = EchoProcess::Fork(options);
  if (!server.ok()) return Refuse(server.error());
  TargetBroker target;
  target.name = "echo";
  target.address = "127.0.0.1:" + std::to_string((*server)->port());
  for (const std::string& topic : TopicNames(options)) {
    for (int id = 0; id < options.queues; ++id) target.queues.push_back({topic, id});
  }
  return SendAndPrint("echo", options, {target}, (*server)->pid());
}

}  // namespace apogee
