#include "remoting/client_peer.h"

#include <utility>

#include "base/log.h"
#include "net/tcp.h"

namespace apogee {
namespace {

constexpr std::size_t kPendingMax = 10'000;
constexpr std::size_t kUnsentBytesMax = std::size_t{64} << 20;
constexpr std::chrono::milliseconds kConnectTimeout{3000};
constexpr std::chrono::milliseconds kIdleLimit{120'000};

// Ties a connection to its peer.
class PeerHandler final : public ConnectionHandler {
 public:
  explicit PeerHandler(std::shared_ptr<ClientPeer> peer) : peer_(std::move(peer)) {}

  std::size_t OnBytes(Connection& connection, std::string_view input) override {
    return peer_->OnBytes(connection, input);
  }
  std::size_t BytesWanted() const override { return peer_->wanted(); }
  void OnDrained(Connection&) override {}
  void OnClose(Connection& connection) override { peer_->OnClose(connection); }

 private:
  const std::shared_ptr<ClientPeer> peer_;
};

}  // namespace

bool ClientPeer::HasRoom(std::size_t bytes) const {
  const std::size_t queued = connection_ != nullptr ? connection_->queued_bytes() : unsent_.size();
  return queued + bytes <= kUnsentBytesMax;
}

void ClientPeer::Call(std::int32_t opaque, std::string frame, std::chrono::milliseconds timeout,
                      RemotingClient::Done done) {
  if (pending_.size() >= kPendingMax || !HasRoom(frame.size())) {
    done(Fail(ErrorCode::kResourceExhausted,
              "too many calls wait for " + address_ + ": " + std::to_string(pending_.size())));
    return;
  }
  const EventLoop::TimerId timer = loop_.RunAfter(timeout, [self = shared_from_this(), opaque,
                                                            timeout] {
    self->Finish(opaque, Fail(ErrorCode::kTimeout, "no answer from " + self->address_ + " within " +
                                                       std::to_string(timeout.count()) + " ms"));
  });
  pending_.insert_or_assign(opaque, Pending{.done = std::move(done), .timer = timer});
  Write(std::move(frame));
}

void ClientPeer::SendOneway(std::string frame) {
  if (HasRoom(frame.size())) Write(std::move(frame));
}

void ClientPeer::Write(std::string frame) {
  if (connection_ != nullptr && !connection_->closed()) {
    connection_->out().append(frame);
    connection_->Flush();
    return;
  }
  unsent_.append(frame);
  if (!dialling_) Connect();
}

void ClientPeer::Connect() {
  dialling_ = true;
  const auto target = ParseHostPort(address_);
  if (!target.ok()) {
    OnDialled(std::unexpected(target.error()));
    return;
  }
  Dial(
      loop_, target->host, target->port, kConnectTimeout,
      [self = shared_from_this()](const std::shared_ptr<Connection>&) {
        return std::make_shared<PeerHandler>(self);
      },
      [self = shared_from_this()](Result<std::shared_ptr<Connection>> dialled) {
        self->OnDialled(std::move(dialled));
      });
}

void ClientPeer::OnDialled(Result<std::shared_ptr<Connection>> dialled) {
  dialling_ = false;
  const std::string unsent = std::exchange(unsent_, {});
  if (!dialled.ok()) {
    FailAll(dialled.error());
    return;
  }
  if (ended_ || (*dialled)->closed()) {
    (*dialled)->Close(Connection::CloseMode::kNow);
    FailAll(Error(ErrorCode::kUnavailable, "the connection to " + address_ + " was closed"));
    return;
  }
  connection_ = std::move(*dialled);
  wanted_ = 0;
  connection_->SetIdleLimit(kIdleLimit);
  connection_->out().append(unsent);
  connection_->Flush();
}

std::size_t ClientPeer::OnBytes(Connection& connection, std::string_view input) {
  std::size_t used = 0;
  wanted_ = 0;
  while (used < input.size() && !connection.closed()) {
    const std::string_view rest = input.substr(used);
    const FrameScan scan = ScanFrame(rest);
    if (scan.state == FrameScan::State::kNeedMore) {
      wanted_ = scan.bytes;
      break;
    }
    const auto answer = std::make_shared<Answer>();
    if (scan.state == FrameScan::State::kWhole) answer->frame = rest.substr(0, scan.bytes);
    if (scan.state != FrameScan::State::kWhole ||
        !DecodeCommand(answer->frame, &answer->command).ok()) {
      LogWarning("closed the connection to {}: it sent {}", address_,
                 scan.what.empty() ? "a broken header" : scan.what);
      connection.Close(Connection::CloseMode::kNow);
      break;
    }
    used += scan.bytes;
    // What is no answer is a request to us: servers that we call have none to make.
    if (answer->command.is_response()) Finish(answer->command.opaque, answer);
  }
  return used;
}

void ClientPeer::OnClose(const Connection& connection) {
  if (connection_.get() != &connection) return;
  connection_.reset();
  FailAll(Error(ErrorCode::kUnavailable, "the connection to " + address_ + " was closed"));
}

void ClientPeer::Finish(std::int32_t opaque, Result<std::shared_ptr<const Answer>> result) {
  const auto at = pending_.find(opaque);
  if (at == pending_.end()) return;  // Answered after its time was up.
  Pending pending = std::move(at->second);
  pending_.erase(at);
  loop_.Cancel(pending.timer);
  pending.done(std::move(result));
}

void ClientPeer::FailAll(const Error& error) {
  auto failed = std::exchange(pending_, {});
  for (auto& [opaque, pending] : failed) {
    loop_.Cancel(pending.timer);
    pending.done(std::unexpected(error));
  }
}

void ClientPeer::End() {
  ended_ = true;
  if (const auto connection = std::exchange(connection_, nullptr)) {
    connection->Close(Connection::CloseMode::kNow);
  }
  FailAll(Error(ErrorCode::kUnavailable, "this client has been closed"));
}

}  // namespace apogee
