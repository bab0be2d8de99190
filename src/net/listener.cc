#include <asio/ip/tcp.hpp>
#include <asio/ip/v6_only.hpp>
#include <future>
#include <optional>

#include "base/check.h"
#include "base/log.h"
#include "net/asio_connection.h"
#include "net/asio_loop.h"
#include "net/tcp.h"

namespace apogee {
namespace {

constexpr int kBacklog = 1024;
// After a failed accept (out of descriptors): the queue of the kernel holds the callers meanwhile.
constexpr std::chrono::milliseconds kAcceptPause{100};

// Lives on the first loop; other loops hold it while they start a connection.
struct Accepting : std::enable_shared_from_this<Accepting> {
  Accepting(EventLoops& all, HandlerFactory make)
      : loops(all), home(static_cast<AsioLoop&>(all.at(0))), factory(std::move(make)) {}

  void Next() {
    auto& target = static_cast<AsioLoop&>(loops.Next());
    acceptor->async_accept(target.context(),
                           [self = shared_from_this(), &target](const asio::error_code& error,
                                                                asio::ip::tcp::socket socket) {
                             if (!self->acceptor.has_value()) return;
                             if (!error) {
                               self->Hand(target, std::move(socket));
                               self->Next();
                             } else {
                               self->Pause(error);
                             }
                           });
  }

  void Hand(AsioLoop& target, asio::ip::tcp::socket socket) {
    auto connection = std::make_shared<AsioConnection>(target, std::move(socket));
    if (target.InLoop()) {
      connection->Start(factory);
      return;
    }
    target.Post([self = shared_from_this(), connection = std::move(connection)] {
      connection->Start(self->factory);
    });
  }

  void Pause(const asio::error_code& error) {
    std::int64_t suppressed = 0;
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    const auto now_ms = std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
    if (warn_limit.Allow(now_ms, &suppressed)) {
      LogWarning("accepting on port {} failed: {} ({} more like this)", port, error.message(),
                 suppressed);
    }
    home.RunAfter(kAcceptPause, [self = shared_from_this()] {
      if (self->acceptor.has_value()) self->Next();
    });
  }

  EventLoops& loops;
  AsioLoop& home;
  const HandlerFactory factory;
  std::uint16_t port = 0;
  std::optional<asio::ip::tcp::acceptor> acceptor;  // On `home`, after Open.
  LogRateLimit warn_limit{10'000};
};

class AsioListener final : public Listener {
 public:
  explicit AsioListener(std::shared_ptr<Accepting> accepting) : accepting_(std::move(accepting)) {}

  ~AsioListener() override {
    // Close on the acceptor's loop first, then pass through every loop once: connections handed
    // over before have been started then, and the factory runs no more.
    Await(accepting_->home, [accepting = accepting_] { accepting->acceptor.reset(); });
    for (int i = 0; i < accepting_->loops.count(); ++i) {
      Await(static_cast<AsioLoop&>(accepting_->loops.at(i)), [] {});
    }
    accepting_->acceptor.reset();  // The loops had ended before.
  }

  std::uint16_t port() const override { return accepting_->port; }

 private:
  template <typename Action>
  static void Await(AsioLoop& loop, Action action) {
    AP_CHECK(!loop.InLoop());
    std::promise<void> done;
    std::future<void> waiting = done.get_future();
    loop.Post([action = std::move(action), done = std::move(done)]() mutable {
      action();
      done.set_value();
    });
    waiting.wait();  // A loop that has ended drops the task, which ends the wait too.
  }

  const std::shared_ptr<Accepting> accepting_;
};

}  // namespace

Result<std::unique_ptr<Listener>> Listener::Open(EventLoops& loops, const std::string& address,
                                                 std::uint16_t port, HandlerFactory factory) {
  asio::error_code error;
  const auto failed = [&](const char* step) {
    return Fail(ErrorCode::kUnavailable, "cannot listen on " + address + " port " +
                                             std::to_string(port) + ": " + step + ": " +
                                             error.message());
  };
  const asio::ip::address ip = asio::ip::make_address(address, error);
  if (error) return failed("reading the address");
  const asio::ip::tcp::endpoint endpoint(ip, port);

  auto accepting = std::make_shared<Accepting>(loops, std::move(factory));
  asio::ip::tcp::acceptor acceptor(accepting->home.context());
  acceptor.open(endpoint.protocol(), error);
  if (error) return failed("socket");
  acceptor.set_option(asio::socket_base::reuse_address(true), error);
  if (ip.is_v6()) acceptor.set_option(asio::ip::v6_only(false), error);
  acceptor.bind(endpoint, error);
  if (error) return failed("bind");
  acceptor.listen(kBacklog, error);
  if (error) return failed("listen");
  accepting->port = acceptor.local_endpoint(error).port();
  accepting->acceptor.emplace(std::move(acceptor));
  accepting->home.Post([accepting] {
    if (accepting->acceptor.has_value()) accepting->Next();
  });
  return std::make_unique<AsioListener>(std::move(accepting));
}

}  // namespace apogee
