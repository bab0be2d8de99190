// Which client may consume which queue in order (codes 41 and 42). A lock lives 60 s after its last
// refresh. Threads: any.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "env/clock.h"
#include "store/queue_id.h"

namespace apogee {

class QueueLocks {
 public:
  explicit QueueLocks(Clock& clock) : clock_(clock) {}

  // Takes or refreshes what is free, expired or held by the client; returns the queues it holds
  // afterwards.
  std::vector<QueueId> Lock(std::string_view group, std::string_view client_id,
                            const std::vector<QueueId>& queues);
  void Unlock(std::string_view group, std::string_view client_id,
              const std::vector<QueueId>& queues);
  // Whether anyone holds an unexpired lock in the group (it consumes in order).
  bool AnyHeld(std::string_view group) const;
  void RemoveTopic(std::string_view topic);

 private:
  struct Holder {
    std::string client_id;
    std::int64_t refreshed_ms = 0;  // Monotonic.
  };
  void DropExpired(std::int64_t now) AP_REQUIRES(mu_);

  Clock& clock_;
  mutable Mutex mu_;
  std::int64_t next_sweep_ms_ AP_GUARDED_BY(mu_) = 0;
  std::map<std::string, std::map<QueueId, Holder>, std::less<>> locks_ AP_GUARDED_BY(mu_);
};

}  // namespace apogee
