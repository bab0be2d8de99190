// What a server's connections share, and what remains of a server while its last connection ends.
// Private to this room.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/log.h"
#include "base/mutex.h"
#include "env/clock.h"
#include "remoting/server.h"

namespace apogee {

class ServerChannel;

// Threads: any.
class ServerState {
 public:
  ServerState(ServerOptions given, Clock& the_clock, RequestHandler& the_handler)
      : options(std::move(given)), clock(the_clock), handler(the_handler) {}

  void Add(std::uint64_t id, std::shared_ptr<ServerChannel> channel);
  // After the handler has heard of the end.
  void Remove(std::uint64_t id);
  std::size_t size() const;
  std::vector<std::shared_ptr<ServerChannel>> All() const;
  // False when the time is up first.
  bool AwaitNone(std::chrono::milliseconds limit);
  // Just waits; for a poll.
  void Pause(std::chrono::milliseconds time);

  // One line for what was not a frame, at most one per period and kind.
  void WarnForeign(std::string_view what, std::string_view peer);
  void WarnMalformed(std::string_view what, std::string_view peer);

  const ServerOptions options;
  Clock& clock;
  RequestHandler& handler;

 private:
  static constexpr std::int64_t kWarnPeriodMs = 10'000;

  LogRateLimit foreign_limit_{kWarnPeriodMs};
  LogRateLimit malformed_limit_{kWarnPeriodMs};
  mutable Mutex mu_;
  CondVar none_left_;
  std::unordered_map<std::uint64_t, std::shared_ptr<ServerChannel>> channels_ AP_GUARDED_BY(mu_);
};

}  // namespace apogee
