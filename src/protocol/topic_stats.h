// The extent of each queue of a topic: body of GET_TOPIC_STATS_INFO (remoting reference §4.5).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/result.h"
#include "protocol/message_queue.h"

namespace apogee {

struct TopicStats {
  struct Extent {
    std::int64_t min_offset = 0;
    std::int64_t max_offset = 0;
    std::int64_t last_update_ms = 0;  // 0: the queue is empty.
    bool operator==(const Extent&) const = default;
  };
  std::map<MessageQueue, Extent> queues;
  double put_tps = 0;

  // Queues are keys, written raw as Java's clients need them: {"offsetTable":{{…}:{…}},…}.
  std::string Encode() const;
  static Result<TopicStats> Parse(std::string_view body);
};

}  // namespace apogee
