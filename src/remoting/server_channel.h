// One connection of a server: frames in, requests to the handler, replies out. Private to this
// room.
//
// Bytes in flight are those of requests not yet answered plus those of replies not yet taken by the
// kernel. Above the limit nothing is read until half of it is left: a peer that asks faster than it
// listens fills its own buffers, not our memory.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "net/connection.h"
#include "remoting/server.h"
#include "remoting/server_state.h"

namespace apogee {

class ServerChannel final : public Channel, public ConnectionHandler, public Responder::Target {
 public:
  ServerChannel(std::shared_ptr<ServerState> state, std::shared_ptr<Connection> connection);

  // Channel. Threads: any.
  const std::string& peer() const override { return connection_->peer(); }
  const std::string& local() const override { return connection_->local(); }
  std::uint64_t id() const override { return connection_->id(); }
  EventLoop& loop() override { return connection_->loop(); }
  Language language() const override { return language_.load(std::memory_order_relaxed); }
  std::int32_t version() const override { return version_.load(std::memory_order_relaxed); }
  HeaderForm form() const override { return form_.load(std::memory_order_relaxed); }
  void SendOneway(Command command, std::string body) override;
  void Close() override;
  bool closed() const override { return closed_.load(std::memory_order_acquire); }

  // ConnectionHandler. On the loop.
  std::size_t OnBytes(Connection& connection, std::string_view input) override;
  std::size_t BytesWanted() const override { return wanted_; }
  void OnDrained(Connection& connection) override;
  void OnClose(Connection& connection) override;

  // Responder::Target. Threads: any.
  void Send(std::int32_t opaque, HeaderForm form, std::size_t request_bytes, bool oneway,
            Reply&& reply) override;

  // For draining, on the loop.
  void StopReading();
  bool quiet() const { return unanswered_ == 0 && connection_->queued_bytes() == 0; }
  void End(Connection::CloseMode mode) { connection_->Close(mode); }

 private:
  // A reply, or a frame of our own, on its way to the loop.
  struct Posted {
    bool is_frame = false;
    std::string frame;
    std::int32_t opaque = 0;
    HeaderForm form = HeaderForm::kJson;
    std::size_t request_bytes = 0;
    bool oneway = false;
    Reply reply;
  };

  // False when the connection must end.
  bool TakeFrame(std::string_view frame, std::int64_t now_ns);
  void PostOut(Posted posted);
  void RunPosted();
  void Answer(std::int32_t opaque, HeaderForm form, std::size_t request_bytes, bool oneway,
              Reply&& reply);
  void WriteReply(std::int32_t opaque, HeaderForm form, Reply&& reply);
  std::size_t in_flight_bytes() const { return unanswered_bytes_ + connection_->queued_bytes(); }
  void ResumeIfRelieved();

  const std::shared_ptr<ServerState> state_;
  const std::shared_ptr<Connection> connection_;

  std::atomic<Language> language_{Language::kOther};
  std::atomic<std::int32_t> version_{0};
  std::atomic<HeaderForm> form_{HeaderForm::kJson};
  std::atomic<std::int32_t> next_opaque_{0};
  std::atomic<bool> closed_{false};

  Mutex mu_;
  std::vector<Posted> posted_ AP_GUARDED_BY(mu_);
  std::atomic<bool> any_posted_{false};  // Changed under mu_; lets most answers do without it.

  // On the loop.
  std::size_t wanted_ = 0;
  std::size_t unanswered_ = 0;
  std::size_t unanswered_bytes_ = 0;
  bool held_back_ = false;  // Reading is paused because of bytes in flight.
  bool draining_ = false;   // Reading has ended for good.
};

}  // namespace apogee
