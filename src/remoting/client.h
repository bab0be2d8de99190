// Calls to other servers (a broker to its name servers): one connection an address, made when first
// needed and again after it broke. Threads: any; callbacks run on the client's loop.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "net/event_loop.h"
#include "protocol/command.h"

namespace apogee {

// An answer with its own memory.
struct Answer {
  std::string frame;  // What the views of `command` point into.
  Command command;
};

class RemotingClient {
 public:
  static std::unique_ptr<RemotingClient> Create(EventLoop& loop);
  virtual ~RemotingClient() = default;  // Calls still open fail with kUnavailable.

  using Done = std::move_only_function<void(Result<std::shared_ptr<const Answer>>)>;
  // Sends code, fields and body of `command` to `address` ("host:port") and calls `done` once: with
  // the answer, kTimeout, or kUnavailable when there is no connection.
  virtual void Call(const std::string& address, Command command, std::string body,
                    std::chrono::milliseconds timeout, Done done) = 0;
  virtual void SendOneway(const std::string& address, Command command, std::string body) = 0;
};

}  // namespace apogee
