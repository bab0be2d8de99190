// One connection that reads queues of one broker by long polling, each from a position on. On its
// loop.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "load/load_run.h"
#include "load/targets.h"
#include "net/connection.h"
#include "net/tcp.h"
#include "protocol/command.h"

namespace apogee {

class Puller final : public Participant,
                     public ConnectionHandler,
                     public std::enable_shared_from_this<Puller> {
 public:
  struct Source {
    TargetQueue queue;
    std::int64_t offset = 0;
  };
  struct Plan {
    HostPort target = {};
    std::string group;
    std::string client_id;
    HeaderForm form = HeaderForm::kJson;
    int batch = 32;
    // Only messages stamped with this run count, with the latency from their due time; 0: all
    // count, and the latency is that of the pulls that found something.
    std::uint64_t run = 0;
    std::vector<Source> sources;
  };

  Puller(EventLoop& loop, Plan plan, RunTotals& totals);

  // Participant
  void Connect(Connected connected) override;
  void Begin(std::int64_t start_ns, std::int64_t end_ns) override;
  bool done() const override { return ended_ || lost_; }
  void End() override;

  // ConnectionHandler
  std::size_t OnBytes(Connection& connection, std::string_view input) override;
  std::size_t BytesWanted() const override { return wanted_; }
  void OnDrained(Connection&) override {}
  void OnClose(Connection& connection) override;

 private:
  void Heartbeat();
  void Pull(std::size_t source, std::int64_t now_ns);
  void TakeAnswer(std::string_view frame, std::int64_t now_ns);
  void CountRecords(std::string_view body, std::int64_t now_ns);

  EventLoop& loop_;
  Plan plan_;
  RunTotals& totals_;

  std::shared_ptr<Connection> connection_;
  bool ended_ = false;
  bool lost_ = false;
  std::vector<std::int64_t> asked_ns_;  // By source.
  std::size_t wanted_ = 0;
  Command answer_;
};

}  // namespace apogee
