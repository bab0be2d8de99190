#include "server/registrar.h"

#include <fmt/core.h>

#include <atomic>
#include <utility>

#include "base/crc32.h"
#include "base/json.h"
#include "base/log.h"
#include "protocol/request_code.h"
#include "protocol/response_code.h"

namespace apogee {
// The answers of one registration, from all name servers to all its requests.
struct Registrar::Round {
  std::atomic<std::size_t> open{0};
  std::vector<std::atomic<bool>> failed;
  std::function<void(std::size_t)> done;

  explicit Round(std::size_t name_servers) : failed(name_servers) {}
  void AnswerArrived() {
    if (open.fetch_sub(1) != 1 || !done) return;
    std::size_t registered = 0;
    for (const std::atomic<bool>& at : failed) registered += at ? 0 : 1;
    done(registered);
  }
};

Registrar::Registrar(RegistrarOptions options, const BrokerIdentity& identity,
                     const TopicTable& topics, RemotingClient& client, Workers& workers)
    : options_(std::move(options)),
      identity_(identity),
      topics_(topics),
      client_(client),
      workers_(workers),
      reach_(options_.name_servers.size(), Reach::kUnknown) {}

Registrar::~Registrar() = default;

void Registrar::Start(std::function<void(std::size_t)> first_round) {
  {
    MutexLock lock(mu_);
    first_round_ = std::move(first_round);
  }
  worker_ = workers_.Start("register", [this] { return Step(); });
}

void Registrar::TopicsChanged(const std::vector<TopicPtr>& changed) {
  {
    MutexLock lock(mu_);
    if (changed.empty()) everything_ = true;
    changed_.insert(changed_.end(), changed.begin(), changed.end());
  }
  if (worker_) worker_->Wake();
}

Workers::Wait Registrar::Step() {
  MutexLock round_lock(round_mu_);
  if (stopped_) return Workers::kUntilWoken;
  std::vector<TopicPtr> changed;
  bool everything = false;
  std::function<void(std::size_t)> done;
  {
    MutexLock lock(mu_);
    changed.swap(changed_);
    everything = everything_;
    everything_ = false;
    done = std::exchange(first_round_, nullptr);
  }
  // Woken by a change: what changed. Woken by time: everything.
  if (everything || changed.empty()) {
    DataVersion version;
    const std::vector<TopicPtr> all = topics_.All(&version);
    Send(BodiesOf(all, version), std::move(done));
  } else {
    Send(BodiesOf(changed, topics_.version()), std::move(done));
  }
  return options_.period;
}

std::vector<std::string> Registrar::BodiesOf(const std::vector<TopicPtr>& topics,
                                             const DataVersion& version) const {
  const std::string version_json = version.ToJson().Dump();
  const std::string head =
      fmt::format(R"({{"filterServerList":[],"topicConfigSerializeWrapper":{{"dataVersion":{},)"
                  R"("mappingDataVersion":{},"topicConfigTable":{{)",
                  version_json, version_json);
  constexpr std::string_view kTail =
      R"(},"topicQueueMappingDetailMap":{},"topicQueueMappingInfoMap":{}}})";

  std::vector<std::string> bodies;
  std::string body = head;
  const auto finish = [&] {
    body += kTail;
    bodies.push_back(std::move(body));
    body = head;
  };
  for (const TopicPtr& topic : topics) {
    TopicConfig config = *topic;
    config.perm &= options_.broker_permission | kPermInherit;
    if (body.size() > head.size()) body += ',';
    AppendJsonString(body, config.name);
    body += ':';
    body += config.ToJson().Dump();
    if (body.size() > options_.body_bytes_max) finish();
  }
  if (body.size() > head.size() || bodies.empty()) finish();
  return bodies;
}

Command Registrar::RegisterCommand(const std::string& body) const {
  Command command;
  command.code = RequestCode::kRegisterBroker;
  Fields& fields = command.fields;
  fields.Add("brokerName", identity_.name);
  fields.Add("brokerAddr", options_.address);
  fields.Add("clusterName", identity_.cluster);
  fields.Add("haServerAddr", options_.ha_address);
  fields.AddInt("brokerId", identity_.id);
  fields.AddBool("enableActingMaster", false);
  fields.AddBool("compressed", false);
  fields.AddInt("bodyCrc32", BodyCrc(body));
  command.has_fields = true;
  return command;
}

void Registrar::Send(const std::vector<std::string>& bodies,
                     std::function<void(std::size_t)> done) {
  auto round = std::make_shared<Round>(options_.name_servers.size());
  round->open = options_.name_servers.size() * bodies.size();
  round->done = std::move(done);
  if (options_.name_servers.empty() && round->done) round->done(0);
  for (std::size_t i = 0; i < options_.name_servers.size(); ++i) {
    for (const std::string& body : bodies) {
      client_.Call(options_.name_servers[i], RegisterCommand(body), body, options_.timeout,
                   [this, i, round](Result<std::shared_ptr<const Answer>> answer) {
                     Status outcome;
                     if (!answer.ok()) {
                       outcome = std::unexpected(answer.error());
                     } else if ((*answer)->command.code != ResponseCode::kSuccess) {
                       outcome = Fail(ErrorCode::kUnavailable,
                                      fmt::format("code {}: {}", (*answer)->command.code,
                                                  (*answer)->command.remark));
                     }
                     if (!outcome.ok()) round->failed[i] = true;
                     Report(i, outcome);
                     round->AnswerArrived();
                   });
    }
  }
}

void Registrar::Report(std::size_t name_server, const Status& outcome) {
  const Reach now = outcome.ok() ? Reach::kReached : Reach::kFailing;
  {
    MutexLock lock(mu_);
    if (std::exchange(reach_[name_server], now) == now) return;
  }
  const std::string& address = options_.name_servers[name_server];
  if (outcome.ok()) {
    LogInfo("registered as {} at name server {}", options_.address, address);
  } else {
    LogWarning("cannot register at name server {}: {}; tried again every {} s", address,
               outcome.error().message(), options_.period.count() / 1000);
  }
}

void Registrar::Stop(std::chrono::milliseconds limit) {
  {
    MutexLock round_lock(round_mu_);
    stopped_ = true;
  }
  struct Farewell {
    Mutex mu;
    CondVar all_answered;
    std::size_t open AP_GUARDED_BY(mu) = 0;
  };
  auto farewell = std::make_shared<Farewell>();
  {
    MutexLock lock(farewell->mu);
    farewell->open = options_.name_servers.size();
  }
  for (const std::string& address : options_.name_servers) {
    Command command;
    command.code = RequestCode::kUnregisterBroker;
    command.fields.Add("brokerName", identity_.name);
    command.fields.Add("brokerAddr", options_.address);
    command.fields.Add("clusterName", identity_.cluster);
    command.fields.AddInt("brokerId", identity_.id);
    command.has_fields = true;
    client_.Call(address, std::move(command), {}, limit,
                 [farewell](const Result<std::shared_ptr<const Answer>>&) {
                   MutexLock lock(farewell->mu);
                   --farewell->open;
                   farewell->all_answered.NotifyAll();
                 });
  }
  MutexLock lock(farewell->mu);
  while (farewell->open != 0 && farewell->all_answered.WaitFor(farewell->mu, limit)) {
  }
}

}  // namespace apogee
