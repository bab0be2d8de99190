// A name server: brokers register with it, clients ask it where a topic lives.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>

#include "base/result.h"
#include "env/clock.h"
#include "env/file_system.h"
#include "env/workers.h"
#include "nameserver/options.h"
#include "remoting/server.h"

namespace apogee {

class NameServer {
 public:
  // Reads what was kept, then listens. kUnavailable: the address is taken; kCorruption: neither
  // kvConfig.json nor the one before can be read. Everything given must outlive the server.
  static Result<std::unique_ptr<NameServer>> Open(NameServerOptions options, EventLoops& loops,
                                                  FileSystem& fs, Clock& clock, Workers& workers);
  virtual ~NameServer() = default;  // Closes all connections and writes what has changed.

  virtual std::uint16_t port() const = 0;
  virtual std::size_t connections() const = 0;
  // No new connections; running requests are answered within `limit`, then all are closed.
  virtual void Stop(std::chrono::milliseconds limit) = 0;
};

}  // namespace apogee
