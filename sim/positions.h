// The consumer positions of the simulated broker, and what must be left of them: after any crash a
// position lies between the one that was persisted last and the one that was committed last.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "broker/consumer_offsets.h"
#include "env/clock.h"
#include "env/file_system.h"
#include "env/random.h"
#include "store/queue_id.h"

namespace apogee::sim {

class Positions {
 public:
  Positions(std::string path, FileSystem& fs, Clock& clock)
      : path_(std::move(path)), fs_(fs), clock_(clock) {}

  void Commit(const QueueId& queue, std::int64_t offset, Random& random);
  // Its failures are the disk's; what a failed one left is told by the next start.
  void Persist();

  // As a new process does it. Gives what is wrong with the positions found, empty for nothing;
  // `dying`: they may not have been readable.
  std::string Start(bool dying);

 private:
  struct Bounds {
    std::int64_t persisted = -1;  // At least.
    std::int64_t committed = -1;  // At most: positions only grow here.
  };
  const std::string path_;
  FileSystem& fs_;
  Clock& clock_;
  std::unique_ptr<ConsumerOffsets> offsets_;
  std::map<std::pair<std::string, QueueId>, Bounds> bounds_;
};

}  // namespace apogee::sim
