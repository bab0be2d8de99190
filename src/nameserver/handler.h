// The name server's answers: one request code, one function (remoting reference §2.2, §2.3).
//
// Threads: any; requests are answered on their connection's loop, but for changes that must reach
// the disk first, which are answered by Save's thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "env/clock.h"
#include "nameserver/config.h"
#include "nameserver/kv_config.h"
#include "nameserver/route_table.h"
#include "remoting/server.h"

namespace apogee {

// A request that the name server makes: `code` and `fields` to each of the addresses, one-way.
using TellBrokers = std::function<void(const MinIdChange& change)>;

class NameServerHandler final : public RequestHandler {
 public:
  // All must outlive the handler. `tell` and `wake_save` are called with no lock held.
  NameServerHandler(NameServerConfig& config, KvConfig& kv, RouteTable& routes, Clock& clock,
                    TellBrokers tell, std::function<void()> wake_save);
  ~NameServerHandler() override;

  void Handle(const Request& request, Responder responder) override;
  void OnChannelClosed(const std::shared_ptr<Channel>& channel) override;

  // Writes what changed and answers those who wait for it. Blocks on the disk.
  void Save();
  // Unregisters silent brokers and drops topics that are not listed any more.
  void Scan();

 private:
  Reply Answer(const Request& request);

  Reply PutKv(const Command& command);
  Reply GetKv(const Command& command) const;
  Reply ListKv(const Command& command) const;
  Reply RegisterBroker(const Request& request);
  Reply UnregisterBroker(const Command& command);
  Reply QueryDataVersion(const Command& command);
  Reply Heartbeat(const Command& command);
  Reply GetRoute(const Command& command) const;
  Reply GetMembers(const Command& command) const;
  Reply RegisterTopic(const Command& command);
  Reply DeleteTopic(const Command& command);
  Reply TopicListOf(const Command& command) const;
  Reply SystemTopics() const;
  Reply UpdateConfig(const Command& command);

  void Tell(const MinIdChange& change) const;
  // The reply of a change: given once the change is on the disk.
  void ReplyWhenSaved(Responder responder, Reply reply) AP_EXCLUDES(mu_);

  NameServerConfig& config_;
  KvConfig& kv_;
  RouteTable& routes_;
  Clock& clock_;
  const TellBrokers tell_;
  const std::function<void()> wake_save_;
  const std::int64_t started_ms_;

  struct Waiting {
    Responder responder;
    Reply reply;
  };
  Mutex mu_;
  std::vector<Waiting> waiting_ AP_GUARDED_BY(mu_);
};

}  // namespace apogee
