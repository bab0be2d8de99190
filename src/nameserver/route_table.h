// What the name server knows: brokers, their addresses and topics, as registrations tell.
//
// A broker is there from its registration until it unregisters, its connection ends or it has been
// silent for its timeout. The last broker of a group takes the group's topics with it. Nothing of
// this is on disk: after a restart the brokers register again.
//
// Threads: any; one mutex, under which nothing is called and nothing is encoded. What has to be
// told to brokers is returned and told by the caller.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "env/clock.h"
#include "nameserver/broker_groups.h"
#include "nameserver/topic_queues.h"
#include "protocol/cluster_info.h"
#include "protocol/register_broker.h"
#include "protocol/topic_route.h"

namespace apogee {

// To be told to `tell` by NOTIFY_MIN_BROKER_ID_CHANGE.
struct MinIdChange {
  std::int64_t min_id = 0;
  std::string min_addr;
  std::string offline_addr;  // Empty: nobody left.
  std::string ha_addr;
  std::vector<std::string> tell;
};

class RouteTable {
 public:
  // `clock` must outlive the table.
  explicit RouteTable(Clock& clock) : clock_(clock) {}

  enum class Outcome {
    kRegistered,
    kStale,    // Another process with a newer state holds the id: answered like success.
    kRefused,  // A first registration with a single topic, or no room for more brokers.
  };
  struct Registered {
    Outcome outcome = Outcome::kRefused;
    std::string ha_server_addr;  // Of the master, for a slave.
    std::string master_addr;
    std::optional<MinIdChange> change;
  };
  // `delete_missing`: topics that a full listing lacks go at once.
  Registered Register(const RegisterBrokerHeader& header, const RegisterBrokerBody& body,
                      bool delete_missing, const std::shared_ptr<Channel>& channel);
  std::optional<MinIdChange> Unregister(const BrokerHeader& broker);
  std::vector<MinIdChange> OnChannelClosed(std::uint64_t channel_id);

  // A sign of life; false when the broker is not known.
  bool Touch(const std::string& cluster, const std::string& addr);
  std::optional<DataVersion> VersionOf(const std::string& cluster, const std::string& addr);

  struct Expired {
    std::vector<MinIdChange> changes;
    std::vector<std::shared_ptr<Channel>> channels;  // For the caller to close.
  };
  Expired ExpireSilent();
  // Drops topics that brokers have stopped listing. To be called every few seconds.
  void Sweep();

  struct RouteRules {
    bool acting_master = false;
    std::string_view zone;  // Only brokers of this zone; empty: all.
  };
  // nullopt: no queues, or no broker for them.
  std::optional<TopicRouteData> Route(std::string_view topic, const RouteRules& rules) const;
  ClusterInfo Cluster() const;
  BrokerMemberGroup Members(std::string_view cluster, std::string_view broker_name) const;
  // All cluster and broker names, and the address of some broker.
  std::vector<std::string> SystemNames(std::string* some_addr) const;

  std::vector<std::string> Topics() const;
  std::vector<std::string> TopicsOfCluster(std::string_view cluster) const;
  std::vector<std::string> TopicsWithFlags(
      const std::function<bool(std::int32_t sys_flag)>& wanted) const;
  // `cluster` empty: on all brokers.
  void DeleteTopic(std::string_view topic, std::string_view cluster);
  // Adds the queues of those brokers that are there.
  void AddTopic(std::string_view topic, const std::vector<QueueData>& queues);
  // Returns how many topics of the broker were changed.
  int WipeWritePerm(std::string_view broker_name);
  int AddWritePerm(std::string_view broker_name);

 private:
  std::optional<MinIdChange> Remove(const BrokerGroups::Key& key, std::string_view name)
      AP_REQUIRES(mu_);
  void Publish(const RegisterBrokerHeader& header, const RegisterBrokerBody& body, bool first,
               bool delete_missing, BrokerGroup& group) AP_REQUIRES(mu_);

  Clock& clock_;
  mutable Mutex mu_;
  BrokerGroups brokers_ AP_GUARDED_BY(mu_);
  TopicQueues topics_ AP_GUARDED_BY(mu_);
};

}  // namespace apogee
