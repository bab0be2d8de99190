#include "remoting/client.h"

#include <atomic>
#include <future>
#include <unordered_map>
#include <utility>

#include "remoting/client_peer.h"

namespace apogee {
namespace {

// Shared by the client and what it has posted. On the loop, but for next_opaque.
struct Peers {
  explicit Peers(EventLoop& the_loop) : loop(the_loop) {}

  ClientPeer& At(const std::string& address) {
    auto& peer = by_address[address];
    if (peer == nullptr) peer = std::make_shared<ClientPeer>(loop, address);
    return *peer;
  }

  EventLoop& loop;
  std::atomic<std::int32_t> next_opaque{1};
  bool ended = false;
  std::unordered_map<std::string, std::shared_ptr<ClientPeer>> by_address;
};

class TcpRemotingClient final : public RemotingClient {
 public:
  explicit TcpRemotingClient(EventLoop& loop) : peers_(std::make_shared<Peers>(loop)) {}

  ~TcpRemotingClient() override {
    const auto end = [peers = peers_] {
      peers->ended = true;
      const auto all = std::move(peers->by_address);
      for (const auto& [address, peer] : all) peer->End();
    };
    if (peers_->loop.InLoop()) {
      end();
      return;
    }
    std::promise<void> done;
    std::future<void> waiting = done.get_future();
    peers_->loop.Post([end, done = std::move(done)]() mutable {
      end();
      done.set_value();
    });
    waiting.wait();  // A loop that has ended drops the task, which ends the wait too.
  }

  void Call(const std::string& address, Command command, std::string body,
            std::chrono::milliseconds timeout, Done done) override {
    const std::int32_t opaque = peers_->next_opaque.fetch_add(1, std::memory_order_relaxed);
    std::string frame = Encode(command, opaque, 0, body);
    peers_->loop.Post([peers = peers_, address, opaque, frame = std::move(frame), timeout,
                       done = std::move(done)]() mutable {
      if (peers->ended) {
        done(Fail(ErrorCode::kUnavailable, "this client has been closed"));
      } else {
        peers->At(address).Call(opaque, std::move(frame), timeout, std::move(done));
      }
    });
  }

  void SendOneway(const std::string& address, Command command, std::string body) override {
    const std::int32_t opaque = peers_->next_opaque.fetch_add(1, std::memory_order_relaxed);
    std::string frame = Encode(command, opaque, kFlagOneway, body);
    peers_->loop.Post([peers = peers_, address, frame = std::move(frame)]() mutable {
      if (!peers->ended) peers->At(address).SendOneway(std::move(frame));
    });
  }

 private:
  // At once: the command's views are the caller's.
  static std::string Encode(Command& command, std::int32_t opaque, std::int32_t flag,
                            std::string_view body) {
    command.opaque = opaque;
    command.flag = flag;
    command.version = kOurVersion;
    command.body = body;
    std::string frame;
    EncodeCommand(command, &frame);
    return frame;
  }

  const std::shared_ptr<Peers> peers_;
};

}  // namespace

std::unique_ptr<RemotingClient> RemotingClient::Create(EventLoop& loop) {
  return std::make_unique<TcpRemotingClient>(loop);
}

}  // namespace apogee
