#include "nameserver/broker_groups.h"

namespace apogee {

BrokerGroup* BrokerGroups::Find(std::string_view name) {
  const auto found = groups_.find(name);
  return found == groups_.end() ? nullptr : &found->second;
}

const BrokerGroup* BrokerGroups::Find(std::string_view name) const {
  const auto found = groups_.find(name);
  return found == groups_.end() ? nullptr : &found->second;
}

BrokerGroup& BrokerGroups::FindOrAdd(std::string_view cluster, std::string_view name) {
  auto found = groups_.find(name);
  if (found == groups_.end()) {
    found = groups_.try_emplace(std::string(name)).first;
    found->second.data.broker_name = name;
    found->second.data.cluster = cluster;
  }
  BrokerGroup& group = found->second;
  if (group.data.cluster != cluster) {  // Moved; its other members follow with their registration.
    const auto left = clusters_.find(group.data.cluster);
    if (left != clusters_.end()) {
      left->second.erase(std::string(name));
      if (left->second.empty()) clusters_.erase(left);
    }
    group.data.cluster = cluster;
  }
  clusters_[std::string(cluster)].insert(std::string(name));
  return group;
}

const std::set<std::string>& BrokerGroups::InCluster(std::string_view cluster) const {
  static const std::set<std::string> kNone;
  const auto found = clusters_.find(cluster);
  return found == clusters_.end() ? kNone : found->second;
}

LiveBroker* BrokerGroups::FindLive(const Key& key) {
  const auto found = live_.find(key);
  return found == live_.end() ? nullptr : &found->second;
}

bool BrokerGroups::EraseAddr(std::string_view name, std::string_view addr) {
  BrokerGroup* const group = Find(name);
  if (group == nullptr) return false;
  std::erase_if(group->data.addrs, [addr](const auto& entry) { return entry.second == addr; });
  if (!group->empty()) return false;
  EraseIfEmpty(name);
  return true;
}

void BrokerGroups::EraseIfEmpty(std::string_view name) {
  const auto found = groups_.find(name);
  if (found == groups_.end() || !found->second.empty()) return;
  const auto cluster = clusters_.find(found->second.data.cluster);
  if (cluster != clusters_.end()) {
    cluster->second.erase(found->first);
    if (cluster->second.empty()) clusters_.erase(cluster);
  }
  groups_.erase(found);
}

}  // namespace apogee
