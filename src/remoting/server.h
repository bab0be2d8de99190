// A remoting server: accepts connections, decodes frames, hands requests to a handler and encodes
// replies. Also the requests that a server sends to its clients over their own connections.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "env/clock.h"
#include "net/event_loop.h"
#include "protocol/command.h"

namespace apogee {

// The other end of a connection. Threads: any. Lives until the last holder lets go; a send after
// the connection has closed goes nowhere.
class Channel : public std::enable_shared_from_this<Channel> {
 public:
  virtual ~Channel() = default;
  virtual const std::string& peer() const = 0;  // "127.0.0.1:40312"
  virtual const std::string& local() const = 0;
  virtual std::uint64_t id() const = 0;
  virtual EventLoop& loop() = 0;
  // Of the newest request seen.
  virtual Language language() const = 0;
  virtual std::int32_t version() const = 0;
  virtual HeaderForm form() const = 0;
  // A request without an answer; fields, code and body of `command` are taken, opaque is chosen
  // here.
  virtual void SendOneway(Command command, std::string body) = 0;
  virtual void Close() = 0;
  virtual bool closed() const = 0;

  // What the server's owner keeps with the channel (a broker: the client it stands for). On the
  // channel's loop only; emptied by the owner when the channel closes.
  std::shared_ptr<void>& attachment() { return attachment_; }

 private:
  std::shared_ptr<void> attachment_;
};

// A piece of a reply's body that stays where it is until it has left.
struct PinnedBytes {
  std::string_view bytes;
  std::shared_ptr<const void> pin;
};

struct Reply {
  std::int32_t code = 0;
  std::string remark;
  Fields fields;
  bool with_fields = false;  // Send "extFields":{} even when there are none.
  std::string body;
  std::vector<PinnedBytes> more_body;  // Behind `body`.

  static Reply Of(std::int32_t code, std::string remark = {}) {
    Reply reply;
    reply.code = code;
    reply.remark = std::move(remark);
    return reply;
  }
};

// The right, and duty, to answer one request once; dropping it unanswered is a bug unless the
// request was one-way or its connection has closed, and is answered with SYSTEM_ERROR. Move-only.
// Send from any thread: on the request's loop the reply joins the write of the running read,
// elsewhere it is posted.
class Responder {
 public:
  class Target {
   public:
    virtual ~Target() = default;
    virtual void Send(std::int32_t opaque, HeaderForm form, std::size_t request_bytes, bool oneway,
                      Reply&& reply) = 0;
  };

  Responder() = default;
  Responder(std::shared_ptr<Target> target, const Command& request, std::size_t request_bytes);
  Responder(Responder&& other) noexcept = default;
  Responder& operator=(Responder&& other) noexcept;
  ~Responder();

  void Send(Reply reply);
  // No answer at all, deliberately (END_TRANSACTION of an unknown outcome).
  void Withhold();
  bool oneway() const { return oneway_; }

 private:
  std::shared_ptr<Target> target_;
  std::int32_t opaque_ = 0;
  HeaderForm form_ = HeaderForm::kJson;
  std::size_t request_bytes_ = 0;
  bool oneway_ = false;
};

// One request while it is being handled: views die when Handle returns.
struct Request {
  const Command& command;
  const std::shared_ptr<Channel>& channel;
  std::int64_t received_ns;  // Monotonic.
};

class RequestHandler {
 public:
  virtual ~RequestHandler() = default;
  // On the channel's loop: return soon; what may block is posted elsewhere with the responder (copy
  // what it needs).
  virtual void Handle(const Request& request, Responder responder) = 0;
  // On the channel's loop, once, after its last request.
  virtual void OnChannelClosed(const std::shared_ptr<Channel>& channel) = 0;
};

struct ServerOptions {
  std::string name;  // For logs: "broker", "namesrv".
  std::string address = "0.0.0.0";
  std::uint16_t port = 0;
  std::chrono::milliseconds idle_limit{120'000};
  // Bytes of one connection's unanswered requests and unsent replies above which it is not read any
  // more.
  std::size_t in_flight_bytes_max = std::size_t{64} << 20;
};

class RemotingServer {
 public:
  // `handler`, `loops`, `clock` must outlive the server.
  static Result<std::unique_ptr<RemotingServer>> Open(ServerOptions options, EventLoops& loops,
                                                      Clock& clock, RequestHandler& handler);
  virtual ~RemotingServer() = default;  // Closes all.
  virtual std::uint16_t port() const = 0;
  virtual std::size_t connections() const = 0;
  // No new connections from here on; those that are there go on.
  virtual void StopAccepting() = 0;
  // Waits until every request taken has been answered and written, at most `limit`, then closes all
  // connections.
  virtual void Drain(std::chrono::milliseconds limit) = 0;
};

}  // namespace apogee
