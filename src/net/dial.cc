#include <asio/ip/tcp.hpp>
#include <optional>
#include <vector>

#include "base/check.h"
#include "net/asio_connection.h"
#include "net/asio_loop.h"
#include "net/tcp.h"

namespace apogee {
namespace {

using asio::ip::tcp;

// One dial in progress; held by the operation it waits for. On its loop.
class Dialing : public std::enable_shared_from_this<Dialing> {
 public:
  Dialing(AsioLoop& loop, std::string host, std::uint16_t port, HandlerFactory factory,
          DialDone done)
      : loop_(loop),
        host_(std::move(host)),
        port_(port),
        factory_(std::move(factory)),
        done_(std::move(done)),
        resolver_(loop.context()) {}

  void Start(std::chrono::milliseconds timeout) {
    timer_ = loop_.RunAfter(timeout, [self = shared_from_this()] {
      self->Finish(Fail(ErrorCode::kTimeout, "connecting to " + self->Target() + " timed out"));
    });
    asio::error_code error;
    const asio::ip::address literal = asio::ip::make_address(host_, error);
    if (!error) {
      endpoints_ = {tcp::endpoint(literal, port_)};
      TryNext();
      return;
    }
    resolver_.async_resolve(host_, std::to_string(port_),
                            [self = shared_from_this()](const asio::error_code& failed,
                                                        const tcp::resolver::results_type& found) {
                              self->last_error_ = failed;
                              for (const auto& entry : found) {
                                self->endpoints_.push_back(entry.endpoint());
                              }
                              self->TryNext();
                            });
  }

 private:
  std::string Target() const { return host_ + ":" + std::to_string(port_); }

  void TryNext() {
    if (finished_) return;
    if (next_ == endpoints_.size()) {
      Finish(Fail(ErrorCode::kUnavailable,
                  "cannot connect to " + Target() + ": " + last_error_.message()));
      return;
    }
    const tcp::endpoint endpoint = endpoints_[next_++];
    socket_.emplace(loop_.context());
    socket_->async_connect(endpoint, [self = shared_from_this()](const asio::error_code& error) {
      if (self->finished_) return;
      self->last_error_ = error;
      if (error) {
        self->TryNext();
      } else {
        self->Connected();
      }
    });
  }

  void Connected() {
    auto connection = std::make_shared<AsioConnection>(loop_, std::move(*socket_));
    if (connection->Start(factory_)) {
      Finish(std::shared_ptr<Connection>(std::move(connection)));
    } else {
      Finish(Fail(ErrorCode::kUnavailable,
                  "cannot connect to " + Target() + ": closed again by the peer"));
    }
  }

  void Finish(Result<std::shared_ptr<Connection>> result) {
    if (finished_) return;
    finished_ = true;
    loop_.Cancel(timer_);
    resolver_.cancel();
    socket_.reset();
    std::exchange(done_, nullptr)(std::move(result));
  }

  AsioLoop& loop_;
  const std::string host_;
  const std::uint16_t port_;
  const HandlerFactory factory_;
  DialDone done_;
  tcp::resolver resolver_;  // A name is looked up on a thread of its own inside Asio.
  std::optional<tcp::socket> socket_;
  std::vector<tcp::endpoint> endpoints_;
  std::size_t next_ = 0;
  asio::error_code last_error_;
  EventLoop::TimerId timer_ = 0;
  bool finished_ = false;
};

}  // namespace

void Dial(EventLoop& loop, const std::string& host, std::uint16_t port,
          std::chrono::milliseconds timeout, HandlerFactory factory, DialDone done) {
  auto* asio_loop = dynamic_cast<AsioLoop*>(&loop);
  AP_CHECK(asio_loop != nullptr);
  asio_loop->Post([dialing = std::make_shared<Dialing>(*asio_loop, host, port, std::move(factory),
                                                       std::move(done)),
                   timeout] { dialing->Start(timeout); });
}

}  // namespace apogee
