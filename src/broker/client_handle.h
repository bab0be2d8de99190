// A connected client as the broker's services see it; a front door (endpoint/) implements it over
// its channel.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace apogee {

// Threads: any. Equal connections are the same object.
class ClientHandle {
 public:
  virtual ~ClientHandle() = default;
  virtual std::uint64_t id() const = 0;
  virtual const std::string& address() const = 0;  // "127.0.0.1:40312"
  virtual std::string language() const = 0;        // "JAVA"
  virtual std::int32_t version() const = 0;
  // Tells the client that the members or topics of `group` changed, so that it rebalances at once.
  // Never blocks.
  virtual void NotifyConsumerIdsChanged(std::string_view group) = 0;
  virtual void Close() = 0;
};

// Runs work on the thread that serves a client (its event loop). Implemented by the front door and
// by tests.
class ClientExecutor {
 public:
  virtual ~ClientExecutor() = default;
  virtual void Post(std::move_only_function<void()> task) = 0;
};

}  // namespace apogee
