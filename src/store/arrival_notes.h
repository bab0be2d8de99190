// Arrivals that the listener may hear of only after the flush (SYNC_FLUSH): kept in log order until
// the log is durable up to their end.
#pragma once

#include <cstdint>
#include <vector>

#include "base/ids.h"
#include "base/mutex.h"
#include "store/arrival_listener.h"
#include "store/queue_id.h"
#include "store/take_if.h"

namespace apogee {

struct ArrivalNote {
  LogOffset end;  // Behind the record.
  QueueId queue;
  QueueOffset next;
  std::int64_t tag_code = 0;
};

// Threads: any. Bounded by what is appended between two flushes.
class ArrivalNotes {
 public:
  void Add(ArrivalNote note) {
    MutexLock lock(mu_);
    notes_.push_back(std::move(note));
  }

  // Those that `flushed` covers. Two appends may add their notes in another order than that of the
  // log, so all are looked at.
  std::vector<ArrivalNote> Take(LogOffset flushed) {
    MutexLock lock(mu_);
    return TakeIf(notes_, [&](const ArrivalNote& note) { return note.end <= flushed; });
  }

 private:
  Mutex mu_;
  std::vector<ArrivalNote> notes_ AP_GUARDED_BY(mu_);
};

}  // namespace apogee
