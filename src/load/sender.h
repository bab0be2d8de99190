// One connection that sends: in a closed loop (a request follows an answer) or an open one (each
// request has its moment, and its latency counts from then, whether or not it could be sent in
// time). On its loop.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "load/load_run.h"
#include "load/send_frames.h"
#include "net/connection.h"
#include "net/tcp.h"

namespace apogee {

class Sender final : public Participant,
                     public ConnectionHandler,
                     public std::enable_shared_from_this<Sender> {
 public:
  struct Plan {
    HostPort target = {};
    int in_flight = 1;
    double interval_ns = 0;     // Between two of this connection's sends; 0: closed loop.
    std::int64_t phase_ns = 0;  // Of its first one, so that connections do not send in step.
    std::int64_t quota = 0;     // 0: without end.
  };

  Sender(EventLoop& loop, Plan plan, SendFrames frames, RunTotals& totals);

  // Participant
  void Connect(Connected connected) override;
  void Begin(std::int64_t start_ns, std::int64_t end_ns) override;
  bool done() const override;
  void End() override;

  // ConnectionHandler
  std::size_t OnBytes(Connection& connection, std::string_view input) override;
  std::size_t BytesWanted() const override { return wanted_; }
  void OnDrained(Connection&) override {}
  void OnClose(Connection& connection) override;

 private:
  // Sends what is due and fits.
  void Pump(std::int64_t now_ns);
  // When the next request is due; now in a closed loop.
  std::int64_t NextDue(std::int64_t now_ns) const;
  void Wake(std::int64_t in_ns);
  void TakeAnswer(std::string_view frame, std::int64_t now_ns);
  void FailOpen(std::int32_t error);
  std::int64_t open() const { return plan_.in_flight - static_cast<std::int64_t>(free_.size()); }

  EventLoop& loop_;
  const Plan plan_;
  SendFrames frames_;
  RunTotals& totals_;

  std::shared_ptr<Connection> connection_;
  bool ended_ = false;
  bool timer_set_ = false;
  std::int64_t start_ns_ = 0;
  std::int64_t end_ns_ = 0;
  std::int64_t sent_ = 0;
  std::vector<std::uint32_t> free_;   // Slots without an open request.
  std::vector<std::int64_t> due_ns_;  // By slot; 0: none open.
  std::size_t wanted_ = 0;
  Command answer_;  // Decoded into again and again.
};

}  // namespace apogee
