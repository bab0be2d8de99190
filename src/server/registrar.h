// Keeps a broker registered at its name servers: everything at start and every period, what changed
// at once.
//
// Threads: any; requests are built on a worker (a broker may have 100 000 topics), answers arrive
// on the client's loop.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "broker/identity.h"
#include "broker/topic_table.h"
#include "env/workers.h"
#include "remoting/client.h"

namespace apogee {

struct RegistrarOptions {
  std::vector<std::string> name_servers;
  std::string address;     // "10.0.0.5:10911", what clients dial.
  std::string ha_address;  // "10.0.0.5:10912"
  std::int32_t broker_permission = 6;
  std::chrono::milliseconds period{30'000};
  std::chrono::milliseconds timeout{24'000};
  // Above this many bytes of topics a registration goes out in several requests, so that each stays
  // under the frame limit.
  std::size_t body_bytes_max = 4 * 1024 * 1024;
};

class Registrar {
 public:
  // `identity`, `topics`, `client`, `workers` must outlive it.
  Registrar(RegistrarOptions options, const BrokerIdentity& identity, const TopicTable& topics,
            RemotingClient& client, Workers& workers);
  ~Registrar();

  // Begins. `first_round` runs once, when every name server has answered the first registration or
  // failed to; it is given how many took it.
  void Start(std::function<void(std::size_t registered)> first_round);
  // Registers the topics given soon; with none (a deletion) everything.
  void TopicsChanged(const std::vector<TopicPtr>& changed);
  // No registration starts after this; unregisters everywhere and waits for the answers, at most
  // `limit`.
  void Stop(std::chrono::milliseconds limit);

 private:
  struct Round;

  Workers::Wait Step();
  std::vector<std::string> BodiesOf(const std::vector<TopicPtr>& topics,
                                    const DataVersion& version) const;
  void Send(const std::vector<std::string>& bodies, std::function<void(std::size_t)> done);
  Command RegisterCommand(const std::string& body) const;
  // Logs when a name server's state changes, not when it repeats.
  void Report(std::size_t name_server, const Status& outcome);

  const RegistrarOptions options_;
  const BrokerIdentity& identity_;
  const TopicTable& topics_;
  RemotingClient& client_;
  Workers& workers_;

  Mutex round_mu_;  // Held while a registration is handed to the client, so that Stop's goodbye is
                    // the last word.
  bool stopped_ AP_GUARDED_BY(round_mu_) = false;
  Mutex mu_;  // After round_mu_.
  std::vector<TopicPtr> changed_ AP_GUARDED_BY(mu_);
  bool everything_ AP_GUARDED_BY(mu_) = true;
  std::function<void(std::size_t)> first_round_ AP_GUARDED_BY(mu_);
  enum class Reach { kUnknown, kReached, kFailing };
  std::vector<Reach> reach_ AP_GUARDED_BY(mu_);
  std::unique_ptr<Worker> worker_;  // Ends first.
};

}  // namespace apogee
