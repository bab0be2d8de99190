#pragma once

#include <cstdint>

#include "base/ids.h"
#include "store/queue_id.h"

namespace apogee {

// Implemented by broker/long_poll, unknown to the store.
class ArrivalListener {
 public:
  virtual ~ArrivalListener() = default;
  // `queue` can now be read up to `next`; the newest entry has `tag_code`. Runs on the appending
  // thread or, when consumers wait for the flush, on the flush worker, with no lock held: return at
  // once, never append from here.
  virtual void OnArrival(const QueueRef& queue, QueueOffset next, std::int64_t tag_code) = 0;
};

}  // namespace apogee
