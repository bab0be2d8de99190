// What a heartbeat and a goodbye do: membership, groups created on use, retry topics made routable.
// Threads: any.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "broker/consumer_groups.h"
#include "broker/group_table.h"
#include "broker/topic_table.h"

namespace apogee {

struct ClientHeartbeat {
  std::string client_id;
  std::vector<ConsumerHeartbeat> consumers;
  std::vector<std::string> producer_groups;
  bool without_subscriptions = false;  // Heartbeat V2: consumers stand for "still here".
};

class Heartbeats {
 public:
  // All must outlive this.
  Heartbeats(TopicTable& topics, GroupTable& groups, ConsumerGroups& online);

  // A consumer of a group that neither exists nor may be created is left out, as RocketMQ does
  // without a word.
  // False when a heartbeat without subscriptions names a group in which the client is not known: it
  // has to send them.
  bool OnHeartbeat(const ClientHeartbeat& heartbeat, const std::shared_ptr<ClientHandle>& client);
  // Either group may be empty: not given.
  void OnUnregister(std::string_view client_id, std::string_view producer_group,
                    std::string_view consumer_group, const ClientHandle& client);
  void OnClosed(const ClientHandle& client);

 private:
  TopicTable& topics_;
  GroupTable& groups_;
  ConsumerGroups& online_;
};

}  // namespace apogee
