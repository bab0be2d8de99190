#include "server/broker_server.h"

#include <fmt/core.h>

#include <utility>

#include "base/log.h"
#include "endpoint/remoting/broker_handler.h"
#include "endpoint/remoting/group_admin_handler.h"
#include "endpoint/remoting/membership_handler.h"
#include "endpoint/remoting/position_handler.h"
#include "endpoint/remoting/pull_handler.h"
#include "endpoint/remoting/query_handler.h"
#include "endpoint/remoting/send_handler.h"
#include "endpoint/remoting/status_handler.h"
#include "endpoint/remoting/topic_admin_handler.h"
#include "net/local_address.h"
#include "net/tcp.h"
#include "remoting/client.h"
#include "remoting/server.h"
#include "server/advertise.h"
#include "server/broker_services.h"
#include "server/registrar.h"

namespace apogee {
namespace {

constexpr std::chrono::milliseconds kDrainLimit{5'000};
constexpr std::chrono::milliseconds kUnregisterLimit{2'000};
constexpr std::chrono::milliseconds kDialLimit{1'000};
constexpr std::chrono::seconds kExpiryScan{10};

std::string Joined(const std::string& host, std::uint16_t port) {
  const bool v6 = host.find(':') != std::string::npos;
  return v6 ? fmt::format("[{}]:{}", host, port) : fmt::format("{}:{}", host, port);
}

// The front door for remoting clients, every code with its handler.
struct RemotingEndpoint {
  RemotingEndpoint(BrokerServices& services, const BrokerIdentity& identity, Clock& clock)
      : sends(services.sends, identity, clock),
        pulls(services.pulls, services.long_poll),
        queries(services.query),
        membership(services.heartbeats, services.online),
        positions(services.positions, services.locks),
        topic_admin(services.admin, services.topics, *services.store, identity, services.pool),
        group_admin(services.admin, services.groups, services.pool),
        status(services.stats, services.query, clock, clock.WallMs(), services.pool),
        vip(broker) {
    sends.RegisterWith(broker);
    pulls.RegisterWith(broker);
    queries.RegisterWith(broker);
    membership.RegisterWith(broker);
    positions.RegisterWith(broker);
    topic_admin.RegisterWith(broker);
    group_admin.RegisterWith(broker);
    status.RegisterWith(broker);
  }

  SendHandler sends;
  PullHandler pulls;
  QueryHandler queries;
  MembershipHandler membership;
  PositionHandler positions;
  TopicAdminHandler topic_admin;
  GroupAdminHandler group_admin;
  StatusHandler status;
  BrokerHandler broker;
  VipHandler vip;
};

class BrokerServerImpl final : public BrokerServer {
 public:
  BrokerServerImpl(BrokerOptions options, BrokerEnvironment environment)
      : options_(std::move(options)), env_(environment) {}

  ~BrokerServerImpl() override {
    if (!stopped_) static_cast<void>(Stop());
  }

  Status Open();

  const std::string& address() const override { return address_; }
  void AwaitRegistered(std::chrono::milliseconds limit) override;
  Status Stop() override;

 private:
  Status ChoosePort();
  Status Advertise();
  Status Listen();
  void StartBackgroundWork();
  void StartRegistration();
  void DialOurselves();

  BrokerOptions options_;
  BrokerEnvironment env_;
  std::string address_;
  bool stopped_ = false;

  // Made in this order; Stop takes them apart in the reverse.
  std::unique_ptr<BrokerServices> services_;
  std::unique_ptr<RemotingEndpoint> endpoint_;
  std::unique_ptr<RemotingServer> server_;
  std::unique_ptr<RemotingServer> vip_server_;
  std::unique_ptr<Registrar> registrar_;
  std::unique_ptr<RemotingClient> client_;  // Before the registrar goes: its calls call back there.
  std::unique_ptr<Worker> persist_tables_;
  std::unique_ptr<Worker> persist_offsets_;
  std::unique_ptr<Worker> housekeeping_;

  Mutex registered_mu_;
  CondVar registered_changed_;
  bool registered_ AP_GUARDED_BY(registered_mu_) = false;
};

Status BrokerServerImpl::Open() {
  AP_RETURN_IF_ERROR(ChoosePort());
  AP_RETURN_IF_ERROR(Advertise());
  AP_TRY(auto store, MessageStore::Open(options_.store, env_.fs, env_.clock, env_.workers));
  services_ = std::make_unique<BrokerServices>(options_, std::move(store), env_.fs, env_.clock,
                                               env_.random, env_.workers, env_.pid);
  endpoint_ = std::make_unique<RemotingEndpoint>(*services_, options_.identity, env_.clock);
  AP_RETURN_IF_ERROR(Listen());
  StartBackgroundWork();
  StartRegistration();
  DialOurselves();
  return Ok();
}

// Port 0 is settled before anything else: the port stands in every record's store host.
Status BrokerServerImpl::ChoosePort() {
  if (options_.port != 0) return Ok();
  const HandlerFactory refuse = [](const std::shared_ptr<Connection>& connection) {
    connection->Close(Connection::CloseMode::kNow);
    return std::shared_ptr<ConnectionHandler>();
  };
  AP_TRY(const auto probe, Listener::Open(env_.loops, options_.bind_address, 0, refuse));
  options_.port = probe->port();
  return Ok();
}

Status BrokerServerImpl::Advertise() {
  AdvertiseInput input{.broker_ip = options_.broker_ip,
                       .bind_address = options_.bind_address,
                       .name_servers = options_.name_servers,
                       .interfaces = InterfaceAddresses(),
                       .local_address_towards = &LocalAddressTowards};
  AP_TRY(const Advertised chosen, ChooseAdvertised(input));
  address_ = Joined(chosen.address, options_.port);
  Result<Host> host = Host::Parse(address_);
  if (!host.ok()) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("brokerIP1={}: must be an IP address, it stands in every record: {}",
                            chosen.address, host.error().message()));
  }
  options_.identity.store_host = *host;
  LogInfo("advertising {}: {}", address_, chosen.reason);
  for (const std::string& warning : chosen.warnings) LogWarning("{}", warning);
  return Ok();
}

Status BrokerServerImpl::Listen() {
  ServerOptions serving{.name = "broker",
                        .address = options_.bind_address,
                        .port = options_.port,
                        .idle_limit = options_.idle_limit};
  AP_TRY(server_, RemotingServer::Open(serving, env_.loops, env_.clock, endpoint_->broker));
  if (options_.port <= 2) return Ok();
  serving.name = "broker-vip";
  serving.port = static_cast<std::uint16_t>(options_.port - 2);
  auto vip = RemotingServer::Open(serving, env_.loops, env_.clock, endpoint_->vip);
  if (!vip.ok()) {
    LogWarning("clients that use the VIP channel cannot reach this broker: {}",
               vip.error().message());
    return Ok();
  }
  vip_server_ = *std::move(vip);
  return Ok();
}

void BrokerServerImpl::StartBackgroundWork() {
  BrokerServices& services = *services_;
  const auto warn = [](std::string_view what, const Status& status) {
    if (!status.ok()) LogError("{} cannot be written: {}", what, status.error().message());
  };
  persist_tables_ = env_.workers.Start("persist", [&services, warn] {
    warn("topics.json", services.topics.Persist());
    warn("subscriptionGroup.json", services.groups.Persist());
    return Workers::kUntilWoken;
  });
  persist_offsets_ = env_.workers.Start("offsets", [&services, warn, this]() -> Workers::Wait {
    warn("consumerOffset.json", services.offsets.Persist());
    return options_.persist_offsets_interval;
  });
  housekeeping_ =
      env_.workers.Start("housekeeping", [&services, this, next = std::int64_t{0}]() mutable {
        services.stats.Sample();
        const std::int64_t now = env_.clock.MonotonicMs();
        if (now >= next) {
          next = now + std::chrono::milliseconds(kExpiryScan).count();
          services.online.ExpireSilent(options_.channel_expired.count());
        }
        return Workers::Wait(std::chrono::seconds(1));
      });
}

void BrokerServerImpl::StartRegistration() {
  RegistrarOptions registering{.name_servers = options_.name_servers,
                               .address = address_,
                               .ha_address = address_,
                               .broker_permission = options_.broker_permission,
                               .period = options_.register_period,
                               .timeout = options_.register_timeout};
  // Apache's default HA port; nothing listens there in this version, but name servers require the
  // field.
  const Host& host = options_.identity.store_host;
  Host ha = host;
  ha.port = host.port + 1;
  registering.ha_address = ha.ToString();

  client_ = RemotingClient::Create(env_.loops.Next());
  registrar_ = std::make_unique<Registrar>(std::move(registering), options_.identity,
                                           services_->topics, *client_, env_.workers);
  Worker* const persist = persist_tables_.get();
  Registrar* const registrar = registrar_.get();
  services_->topics.SetChangeListener([persist, registrar](const std::vector<TopicPtr>& changed) {
    persist->Wake();
    registrar->TopicsChanged(changed);
  });
  services_->groups.SetChangeListener([persist] { persist->Wake(); });
  registrar_->Start([this](std::size_t) {
    MutexLock lock(registered_mu_);
    registered_ = true;
    registered_changed_.NotifyAll();
  });
}

void BrokerServerImpl::AwaitRegistered(std::chrono::milliseconds limit) {
  const std::int64_t give_up = env_.clock.MonotonicMs() + limit.count();
  MutexLock lock(registered_mu_);
  while (!registered_) {
    const std::int64_t left = give_up - env_.clock.MonotonicMs();
    if (left <= 0) return;
    registered_changed_.WaitFor(registered_mu_, std::chrono::milliseconds(left));
  }
}

// An operator wants to know at start, not from a client's error, that nobody can get in.
void BrokerServerImpl::DialOurselves() {
  class Goodbye final : public ConnectionHandler {
   public:
    std::size_t OnBytes(Connection&, std::string_view input) override { return input.size(); }
    void OnDrained(Connection&) override {}
    void OnClose(Connection&) override {}
  };
  const Host& host = options_.identity.store_host;
  std::string ip = address_.substr(0, address_.rfind(':'));
  if (ip.starts_with('[')) ip = ip.substr(1, ip.size() - 2);
  Dial(
      env_.loops.Next(), ip, static_cast<std::uint16_t>(host.port), kDialLimit,
      [](const std::shared_ptr<Connection>&) { return std::make_shared<Goodbye>(); },
      [address = address_](Result<std::shared_ptr<Connection>> connection) {
        if (connection.ok()) {
          LogInfo("dialling the advertised address {} works", address);
          (*connection)->Close(Connection::CloseMode::kNow);
        } else {
          LogWarning(
              "dialling the advertised address {} from this machine fails ({}): clients will "
              "fail too, unless the address leads here from theirs; see brokerIP1",
              address, connection.error().message());
        }
      });
}

Status BrokerServerImpl::Stop() {
  stopped_ = true;
  if (!services_) return Ok();
  // Away from the routes first, so that clients stop coming; then no new connections, and what is
  // held is answered.
  if (registrar_) registrar_->Stop(kUnregisterLimit);
  if (server_) server_->StopAccepting();
  if (vip_server_) vip_server_->StopAccepting();
  services_->long_poll.Stop();
  if (server_) server_->Drain(kDrainLimit);
  if (vip_server_) vip_server_->Drain(kDrainLimit);
  server_.reset();
  vip_server_.reset();
  services_->pool.Stop();
  // Nobody changes a table any more.
  services_->topics.SetChangeListener(nullptr);
  services_->groups.SetChangeListener(nullptr);
  client_.reset();
  registrar_.reset();
  housekeeping_.reset();
  persist_offsets_.reset();
  persist_tables_.reset();
  const Status persisted = services_->Persist();
  const Status closed = services_->store->Close();
  endpoint_.reset();
  services_.reset();
  AP_RETURN_IF_ERROR(persisted);
  return closed;
}

}  // namespace

Result<std::unique_ptr<BrokerServer>> BrokerServer::Start(BrokerOptions options,
                                                          BrokerEnvironment environment) {
  auto server = std::make_unique<BrokerServerImpl>(std::move(options), environment);
  AP_RETURN_IF_ERROR(server->Open());
  return std::unique_ptr<BrokerServer>(std::move(server));
}

}  // namespace apogee
