// One server process: event loops, and on them a name server, a broker, or both.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "env/clock.h"
#include "env/file_system.h"
#include "env/random.h"
#include "env/workers.h"
#include "server/config.h"

namespace apogee {

struct Parts {
  bool name_server = false;
  bool broker = false;
};

struct ProcessOptions {
  Parts parts;
  std::uint16_t name_server_port =
      9876;  // When both run; a lone name server listens on the key listenPort.
  std::string host_name;
  std::int64_t memory_bytes = 0;  // RAM of the machine.
  std::int32_t pid = 0;
};

// "key=value" lines of all keys that have an effect, as they would be used. kInvalidArgument as
// Start.
Result<std::string> EffectiveConfig(const ProcessOptions& options, const Config& config);

// Threads: one at a time. `config` is copied; the environment must outlive the process.
class Process {
 public:
  // Ready when it returns: listening, and registered as far as the name servers answered within a
  // second or two.
  static Result<std::unique_ptr<Process>> Start(const ProcessOptions& options, const Config& config,
                                                FileSystem& fs, Clock& clock, Random& random,
                                                Workers& workers);
  virtual ~Process() = default;

  // "name server 127.0.0.1:9876, broker 127.0.0.1:10911", with the real ports.
  virtual std::string Addresses() const = 0;
  // Refuses new work, finishes what runs, unregisters, flushes and closes the store.
  virtual Status Stop() = 0;
};

}  // namespace apogee
