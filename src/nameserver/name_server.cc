#include "nameserver/name_server.h"

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "nameserver/handler.h"
#include "protocol/request_code.h"
#include "remoting/client.h"

namespace apogee {
namespace {

class NameServerImpl final : public NameServer {
 public:
  NameServerImpl(NameServerOptions options, EventLoops& loops, FileSystem& fs, Clock& clock,
                 Workers& workers)
      : clock_(clock),
        workers_(workers),
        config_(options, fs),
        kv_(options.kv_config_path, fs),
        routes_(clock),
        handler_(
            config_, kv_, routes_, clock, [this](const MinIdChange& change) { Notify(change); },
            [this] { saver_->Wake(); }),
        client_(RemotingClient::Create(loops.Next())) {}

  ~NameServerImpl() override {
    server_.reset();  // From here on nobody asks.
    scanner_.reset();
    saver_.reset();
    handler_.Save();
  }

  Status Start(EventLoops& loops) {
    AP_RETURN_IF_ERROR(kv_.Load());
    AP_RETURN_IF_ERROR(config_.Load());
    saver_ = workers_.Start("ns/save", [this] {
      handler_.Save();
      return Workers::kUntilWoken;
    });
    const NameServerOptions options = config_.Options();
    AP_TRY(server_,
           RemotingServer::Open(
               {.name = "namesrv", .address = options.bind_address, .port = options.listen_port},
               loops, clock_, handler_));
    config_.SetListenPort(server_->port());
    scanner_ = workers_.Start("ns/scan", [this] {
      handler_.Scan();
      const std::int64_t wait_ms = config_.Options().scan_not_active_broker_interval_ms;
      return Workers::Wait(
          std::chrono::milliseconds(std::clamp<std::int64_t>(wait_ms, 100, 60'000)));
    });
    return Ok();
  }

  std::uint16_t port() const override { return server_->port(); }
  std::size_t connections() const override { return server_->connections(); }
  void Stop(std::chrono::milliseconds limit) override {
    server_->StopAccepting();
    server_->Drain(limit);
  }

 private:
  void Notify(const MinIdChange& change) {
    for (const std::string& addr : change.tell) {
      Command command;
      command.code = RequestCode::kNotifyMinBrokerIdChange;
      command.fields.AddInt("minBrokerId", change.min_id);
      command.fields.Add("minBrokerAddr", change.min_addr);
      if (!change.offline_addr.empty()) {
        command.fields.Add("offlineBrokerAddr", change.offline_addr);
      }
      if (!change.ha_addr.empty()) command.fields.Add("haBrokerAddr", change.ha_addr);
      client_->SendOneway(addr, std::move(command), {});
    }
  }

  Clock& clock_;
  Workers& workers_;
  NameServerConfig config_;
  KvConfig kv_;
  RouteTable routes_;
  NameServerHandler handler_;
  std::unique_ptr<RemotingClient> client_;
  std::unique_ptr<Worker> saver_;
  std::unique_ptr<Worker> scanner_;
  std::unique_ptr<RemotingServer> server_;
};

}  // namespace

Result<std::unique_ptr<NameServer>> NameServer::Open(NameServerOptions options, EventLoops& loops,
                                                     FileSystem& fs, Clock& clock,
                                                     Workers& workers) {
  auto server = std::make_unique<NameServerImpl>(std::move(options), loops, fs, clock, workers);
  AP_RETURN_IF_ERROR(server->Start(loops));
  return server;
}

}  // namespace apogee
