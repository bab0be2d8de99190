// What is asked of the route table, and what operators change in it.
#include <algorithm>
#include <utility>

#include "nameserver/route_table.h"

namespace apogee {
namespace {

// In a group without a master the member with the lowest id stands in for it where clients look:
// under id 0. Only for topics that cannot be written, so that nobody takes it for a real one.
void LetLowestAct(TopicRouteData& route) {
  for (BrokerData& broker : route.brokers) {
    if (!broker.enable_acting_master || broker.addrs.empty() || broker.addrs.contains(0)) continue;
    const bool read_only = std::ranges::any_of(route.queues, [&](const QueueData& queue) {
      return queue.broker_name == broker.broker_name && (queue.perm & kPermWrite) == 0;
    });
    if (!read_only) continue;
    auto lowest = broker.addrs.extract(broker.addrs.begin());
    lowest.key() = 0;
    broker.addrs.insert(std::move(lowest));
  }
}

// A group without a master is kept: its slaves may be all that is left of the topic.
bool OutsideZone(const BrokerData& broker, std::string_view zone) {
  return !zone.empty() && broker.addrs.contains(0) && broker.zone_name != zone;
}

}  // namespace

std::optional<TopicRouteData> RouteTable::Route(std::string_view topic,
                                                const RouteRules& rules) const {
  TopicRouteData route;
  {
    const MutexLock lock(mu_);
    const TopicQueues::ByBroker* const by_broker = topics_.Find(topic);
    if (by_broker == nullptr) return std::nullopt;
    for (const auto& [name, entry] : *by_broker) {
      const BrokerGroup* const group = brokers_.Find(name);
      if (group == nullptr || OutsideZone(group->data, rules.zone)) continue;
      route.queues.push_back(entry.queues);
      route.brokers.push_back(group->data);
      if (!entry.mapping.is_null()) route.mappings[name] = entry.mapping;
      for (const auto& [id, addr] : group->data.addrs) {
        const auto live = brokers_.live().find({group->data.cluster, addr});
        if (live != brokers_.live().end() && !live->second.filter_servers.empty()) {
          route.filter_servers[addr] = live->second.filter_servers;
        }
      }
    }
  }
  if (route.brokers.empty()) return std::nullopt;
  if (rules.acting_master) LetLowestAct(route);
  return route;
}

ClusterInfo RouteTable::Cluster() const {
  ClusterInfo info;
  const MutexLock lock(mu_);
  for (const auto& [name, group] : brokers_.groups()) info.brokers[name] = group.data;
  for (const auto& [cluster, names] : brokers_.clusters()) info.clusters[cluster] = names;
  return info;
}

BrokerMemberGroup RouteTable::Members(std::string_view cluster,
                                      std::string_view broker_name) const {
  BrokerMemberGroup members{
      .cluster = std::string(cluster), .broker_name = std::string(broker_name), .addrs = {}};
  const MutexLock lock(mu_);
  const BrokerGroup* const group = brokers_.Find(broker_name);
  if (group != nullptr && group->data.cluster == cluster) members.addrs = group->data.addrs;
  return members;
}

std::vector<std::string> RouteTable::SystemNames(std::string* some_addr) const {
  std::vector<std::string> names;
  const MutexLock lock(mu_);
  for (const auto& [cluster, members] : brokers_.clusters()) {
    names.push_back(cluster);
    names.insert(names.end(), members.begin(), members.end());
  }
  for (const auto& [name, group] : brokers_.groups()) {
    if (!group.empty()) {
      *some_addr = group.data.addrs.begin()->second;
      break;
    }
  }
  return names;
}

std::vector<std::string> RouteTable::Topics() const {
  const MutexLock lock(mu_);
  return topics_.Names();
}

std::vector<std::string> RouteTable::TopicsOfCluster(std::string_view cluster) const {
  const MutexLock lock(mu_);
  const std::set<std::string>& brokers = brokers_.InCluster(cluster);
  return topics_.NamesWhere([&brokers](std::string_view broker, const QueueData&) {
    return brokers.contains(std::string(broker));
  });
}

std::vector<std::string> RouteTable::TopicsWithFlags(
    const std::function<bool(std::int32_t sys_flag)>& wanted) const {
  const MutexLock lock(mu_);
  return topics_.NamesWhere([&wanted](std::string_view, const QueueData& queues) {
    return wanted(queues.topic_sys_flag);
  });
}

void RouteTable::DeleteTopic(std::string_view topic, std::string_view cluster) {
  const MutexLock lock(mu_);
  if (cluster.empty()) {
    topics_.EraseTopic(topic);
  } else {
    topics_.EraseFrom(topic, brokers_.InCluster(cluster));
  }
}

void RouteTable::AddTopic(std::string_view topic, const std::vector<QueueData>& queues) {
  const MutexLock lock(mu_);
  for (const QueueData& queue : queues) {
    const BrokerGroup* const group = brokers_.Find(queue.broker_name);
    if (group == nullptr) continue;
    const auto live = brokers_.live().find({group->data.cluster, group->publisher});
    const DataVersion version =
        live == brokers_.live().end() ? DataVersion() : live->second.version;
    if (!topics_.Put(topic, queue, version, clock_.MonotonicMs())) return;
  }
}

int RouteTable::WipeWritePerm(std::string_view broker_name) {
  const MutexLock lock(mu_);
  return topics_.ChangePerms(broker_name, [](std::int32_t perm) { return perm & ~kPermWrite; });
}

int RouteTable::AddWritePerm(std::string_view broker_name) {
  const MutexLock lock(mu_);
  return topics_.ChangePerms(broker_name, [](std::int32_t) { return kPermRead | kPermWrite; });
}

}  // namespace apogee
