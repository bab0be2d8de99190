// The brokers that are there: groups of one name (a master and its slaves), their clusters, and
// when each was heard of last. Threads: one at a time.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "message/topic_config.h"
#include "protocol/topic_route.h"

namespace apogee {

class Channel;

// One broker process, by cluster and address.
struct LiveBroker {
  std::string name;
  std::string ha_addr;
  DataVersion version;
  std::int64_t last_seen_ms = 0;  // Monotonic.
  std::int64_t timeout_ms = 0;
  std::uint64_t channel_id = 0;
  std::weak_ptr<Channel> channel;
  std::vector<std::string> filter_servers;
};

struct BrokerGroup {
  BrokerData data;
  // Who lists the group's topics, and when it last listed all of them (see RouteTable::Sweep).
  std::string publisher;
  std::int64_t full_listing_ms = 0;
  std::int64_t full_listing_before_ms = 0;
  bool full_listing_unswept = false;

  bool empty() const { return data.addrs.empty(); }
  std::int64_t min_id() const { return data.addrs.begin()->first; }
};

class BrokerGroups {
 public:
  using Key = std::pair<std::string, std::string>;  // Cluster, address.

  static constexpr std::size_t kBrokersMax = 20'000;

  BrokerGroup* Find(std::string_view name);
  const BrokerGroup* Find(std::string_view name) const;
  BrokerGroup& FindOrAdd(std::string_view cluster, std::string_view name);
  const std::map<std::string, BrokerGroup, std::less<>>& groups() const { return groups_; }
  const std::map<std::string, std::set<std::string>, std::less<>>& clusters() const {
    return clusters_;
  }
  // The broker names of a cluster; empty when there is none.
  const std::set<std::string>& InCluster(std::string_view cluster) const;

  LiveBroker* FindLive(const Key& key);
  LiveBroker& FindOrAddLive(const Key& key) { return live_[key]; }
  void EraseLive(const Key& key) { live_.erase(key); }
  std::size_t live_count() const { return live_.size(); }
  std::map<Key, LiveBroker>& live() { return live_; }
  const std::map<Key, LiveBroker>& live() const { return live_; }

  // Takes the address out of its group. True when the group is gone with it.
  bool EraseAddr(std::string_view name, std::string_view addr);
  void EraseIfEmpty(std::string_view name);

 private:
  std::map<std::string, BrokerGroup, std::less<>> groups_;
  std::map<std::string, std::set<std::string>, std::less<>> clusters_;
  std::map<Key, LiveBroker> live_;
};

}  // namespace apogee
