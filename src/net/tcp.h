// Listening and dialling. Names are resolved by Dial only.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "net/connection.h"
#include "net/event_loop.h"

namespace apogee {

// Makes the handler of a new connection; runs on the connection's loop. The connection keeps the
// handler.
using HandlerFactory =
    std::function<std::shared_ptr<ConnectionHandler>(const std::shared_ptr<Connection>&)>;

class Listener {
 public:
  // Listens on `address` (IPv4, IPv6 or "0.0.0.0"/"::") and `port` (0 = any free one); connections
  // are dealt to `loops` in turn. Backlog 1024, SO_REUSEADDR, TCP_NODELAY. kUnavailable: the text
  // names address and port.
  static Result<std::unique_ptr<Listener>> Open(EventLoops& loops, const std::string& address,
                                                std::uint16_t port, HandlerFactory factory);
  // Closes; connections live on, the factory is not called any more. On no loop, before the loops
  // end.
  virtual ~Listener() = default;
  virtual std::uint16_t port() const = 0;
};

// Connects on `loop` and calls `done` there, once (not at all when the loop ends first). The
// handler belongs to the connection as above. kUnavailable, kTimeout: the text names host and port.
using DialDone = std::move_only_function<void(Result<std::shared_ptr<Connection>>)>;
void Dial(EventLoop& loop, const std::string& host, std::uint16_t port,
          std::chrono::milliseconds timeout, HandlerFactory factory, DialDone done);

// The machine's own addresses that are up, for choosing what to advertise.
struct InterfaceAddress {
  std::string interface;  // "eth0"
  std::string address;    // "10.0.0.5"
  bool loopback = false;
  bool v6 = false;
};
std::vector<InterfaceAddress> InterfaceAddresses();

// Splits "host:port" or "[v6]:port". kInvalidArgument names the text.
struct HostPort {
  std::string host;
  std::uint16_t port = 0;
};
Result<HostPort> ParseHostPort(std::string_view text);

}  // namespace apogee
