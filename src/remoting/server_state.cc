#include "remoting/server_state.h"

#include "remoting/server_channel.h"

namespace apogee {

void ServerState::Add(std::uint64_t id, std::shared_ptr<ServerChannel> channel) {
  MutexLock lock(mu_);
  channels_.emplace(id, std::move(channel));
}

void ServerState::Remove(std::uint64_t id) {
  std::shared_ptr<ServerChannel> dropped;  // Destroyed after the lock is released.
  MutexLock lock(mu_);
  const auto at = channels_.find(id);
  if (at == channels_.end()) return;
  dropped = std::move(at->second);
  channels_.erase(at);
  if (channels_.empty()) none_left_.NotifyAll();
}

std::size_t ServerState::size() const {
  MutexLock lock(mu_);
  return channels_.size();
}

std::vector<std::shared_ptr<ServerChannel>> ServerState::All() const {
  std::vector<std::shared_ptr<ServerChannel>> all;
  MutexLock lock(mu_);
  all.reserve(channels_.size());
  for (const auto& [id, channel] : channels_) all.push_back(channel);
  return all;
}

bool ServerState::AwaitNone(std::chrono::milliseconds limit) {
  const std::int64_t deadline = clock.MonotonicMs() + limit.count();
  MutexLock lock(mu_);
  while (!channels_.empty()) {
    const std::int64_t left = deadline - clock.MonotonicMs();
    if (left <= 0) return false;
    none_left_.WaitFor(mu_, std::chrono::milliseconds(left));
  }
  return true;
}

void ServerState::Pause(std::chrono::milliseconds time) {
  MutexLock lock(mu_);
  if (!channels_.empty()) none_left_.WaitFor(mu_, time);
}

void ServerState::WarnForeign(std::string_view what, std::string_view peer) {
  std::int64_t suppressed = 0;
  if (!foreign_limit_.Allow(clock.MonotonicMs(), &suppressed)) return;
  LogWarning(
      "{}: closed the connection from {}: it speaks another protocol, this looks like {} "
      "({} more of this kind since the last line)",
      options.name, peer, what, suppressed);
}

void ServerState::WarnMalformed(std::string_view what, std::string_view peer) {
  std::int64_t suppressed = 0;
  if (!malformed_limit_.Allow(clock.MonotonicMs(), &suppressed)) return;
  LogWarning("{}: closed the connection from {}: {} ({} more of this kind since the last line)",
             options.name, peer, what, suppressed);
}

}  // namespace apogee
