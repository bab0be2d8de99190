// Where a run sends to and reads from: the queues of its topics, by broker.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "load/options.h"
#include "net/event_loop.h"

namespace apogee {

struct TargetQueue {
  std::string topic;
  std::int32_t id = 0;
};

struct TargetBroker {
  std::string name;
  std::string address;  // Of the master.
  std::vector<TargetQueue> queues;
};

std::vector<std::string> TopicNames(const BenchOptions& options);

// Asks the name server for the routes; a topic that has none is created on every broker of the
// cluster, with options.queues queues. Blocks; not on `loop`. kPermissionDenied: a target is not on
// the loopback network and that was not allowed.
Result<std::vector<TargetBroker>> PrepareTargets(const BenchOptions& options, EventLoop& loop);

}  // namespace apogee
