#include "remoting/server.h"

#include <future>
#include <utility>

#include "net/tcp.h"
#include "remoting/server_channel.h"
#include "remoting/server_state.h"

namespace apogee {
namespace {

constexpr std::chrono::milliseconds kQuietPoll{2};
// How long peers get to take their last bytes and hang up themselves.
constexpr std::chrono::milliseconds kFarewell{500};
constexpr std::chrono::milliseconds kEndLimit{10'000};

class TcpRemotingServer final : public RemotingServer {
 public:
  TcpRemotingServer(std::shared_ptr<ServerState> state, std::unique_ptr<Listener> listener)
      : state_(std::move(state)), listener_(std::move(listener)), port_(listener_->port()) {}

  ~TcpRemotingServer() override {
    StopAccepting();
    EndAll(Connection::CloseMode::kNow);
    state_->AwaitNone(kEndLimit);  // The handler hears nothing after this.
  }

  std::uint16_t port() const override { return port_; }
  std::size_t connections() const override { return state_->size(); }
  void StopAccepting() override { listener_.reset(); }

  void Drain(std::chrono::milliseconds limit) override {
    StopAccepting();
    const std::int64_t deadline = state_->clock.MonotonicMs() + limit.count();
    OnEach([](ServerChannel& channel) {
      channel.StopReading();
      return true;
    });
    const auto quiet = [](const ServerChannel& channel) { return channel.quiet(); };
    while (!OnEach(quiet) && state_->clock.MonotonicMs() < deadline) state_->Pause(kQuietPoll);
    EndAll(Connection::CloseMode::kAfterFlush);
    if (!state_->AwaitNone(kFarewell)) EndAll(Connection::CloseMode::kNow);
    state_->AwaitNone(kEndLimit);
  }

 private:
  void EndAll(Connection::CloseMode mode) {
    for (const auto& channel : state_->All()) {
      channel->loop().Post([channel, mode] { channel->End(mode); });
    }
  }

  // Runs `ask` for every channel on its loop and waits; whether all said true.
  template <typename Ask>
  bool OnEach(Ask ask) {
    std::vector<std::future<bool>> answers;
    for (const auto& channel : state_->All()) {
      std::promise<bool> promise;
      answers.push_back(promise.get_future());
      channel->loop().Post([channel, ask, promise = std::move(promise)]() mutable {
        promise.set_value(channel->closed() || ask(*channel));
      });
    }
    bool all = true;
    for (std::future<bool>& answer : answers) {
      // A loop that has ended drops the task: then the channel is closed.
      try {
        all = answer.get() && all;
      } catch (const std::future_error&) {
      }
    }
    return all;
  }

  const std::shared_ptr<ServerState> state_;
  std::unique_ptr<Listener> listener_;
  const std::uint16_t port_;
};

}  // namespace

Result<std::unique_ptr<RemotingServer>> RemotingServer::Open(ServerOptions options,
                                                             EventLoops& loops, Clock& clock,
                                                             RequestHandler& handler) {
  const auto state = std::make_shared<ServerState>(std::move(options), clock, handler);
  AP_TRY(auto listener, Listener::Open(loops, state->options.address, state->options.port,
                                       [state](const std::shared_ptr<Connection>& connection) {
                                         auto channel =
                                             std::make_shared<ServerChannel>(state, connection);
                                         state->Add(connection->id(), channel);
                                         return channel;
                                       }));
  return std::make_unique<TcpRemotingServer>(state, std::move(listener));
}

}  // namespace apogee
