// A broker, whole: its store, tables, services, front doors, background work and registration, put
// together in the order in which they depend on each other and taken apart in the reverse.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "env/clock.h"
#include "env/file_system.h"
#include "env/random.h"
#include "env/workers.h"
#include "net/event_loop.h"
#include "server/broker_options.h"

namespace apogee {

// What surrounds a broker; all of it must outlive it.
struct BrokerEnvironment {
  EventLoops& loops;
  FileSystem& fs;
  Clock& clock;
  Random& random;
  Workers& workers;
  std::int32_t pid = 0;
};

// Threads: one at a time.
class BrokerServer {
 public:
  // Opens the store, listens, and begins to register. The advertised address is logged with the
  // reason. kInvalidArgument, kUnavailable (port, store lock), kCorruption: nothing runs.
  static Result<std::unique_ptr<BrokerServer>> Start(BrokerOptions options,
                                                     BrokerEnvironment environment);
  virtual ~BrokerServer() = default;

  virtual const std::string& address() const = 0;  // Advertised, "127.0.0.1:10911".
  // Waits until the first registration has been answered by all name servers, at most `limit`.
  virtual void AwaitRegistered(std::chrono::milliseconds limit) = 0;
  // Refuses new work, finishes what runs, unregisters, writes everything down.
  virtual Status Stop() = 0;
};

}  // namespace apogee
