// Brokers coming and going. What is asked about them: route_queries.cc.
#include "nameserver/route_table.h"

#include <algorithm>

#include "remoting/server.h"

namespace apogee {
namespace {

constexpr std::int64_t kDefaultTimeoutMs = 120'000;
// How far apart the pieces of one full listing may be. Listings follow each other at 10 s or more.
constexpr std::int64_t kSettleMs = 5'000;

// Pieces of a listing that is split carry no mark; but every broker has a topic named like itself,
// which nobody may change, so only a full listing contains it.
bool IsFullListing(const RegisterBrokerHeader& header, const RegisterBrokerBody& body) {
  return std::ranges::any_of(
      body.topics, [&](const TopicConfig& topic) { return topic.name == header.broker_name; });
}

std::vector<std::string> AddrsExcept(const BrokerGroup& group, std::optional<std::int64_t> except) {
  std::vector<std::string> addrs;
  for (const auto& [id, addr] : group.data.addrs) {
    if (id != except) addrs.push_back(addr);
  }
  return addrs;
}

}  // namespace

RouteTable::Registered RouteTable::Register(const RegisterBrokerHeader& header,
                                            const RegisterBrokerBody& body, bool delete_missing,
                                            const std::shared_ptr<Channel>& channel) {
  const BrokerGroups::Key key{header.cluster, header.broker_addr};
  Registered result;
  const MutexLock lock(mu_);
  if (brokers_.FindLive(key) == nullptr && brokers_.live_count() >= BrokerGroups::kBrokersMax) {
    return result;
  }
  BrokerGroup& group = brokers_.FindOrAdd(header.cluster, header.broker_name);
  auto& addrs = group.data.addrs;
  const bool lowers_min = !group.empty() && header.broker_id < group.min_id();
  std::erase_if(addrs, [&](const auto& entry) {
    return entry.second == header.broker_addr && entry.first != header.broker_id;
  });
  const auto known = addrs.find(header.broker_id);
  const bool first = known == addrs.end();
  if (!first && known->second != header.broker_addr) {
    const LiveBroker* const holder = brokers_.FindLive({header.cluster, known->second});
    if (holder != nullptr && holder->version.state_version > body.data_version.state_version) {
      brokers_.EraseLive(key);
      result.outcome = Outcome::kStale;
      return result;
    }
  }
  if (first && body.topics.size() == 1) {  // A change told before the whole was.
    brokers_.EraseIfEmpty(header.broker_name);
    return result;
  }
  addrs[header.broker_id] = header.broker_addr;
  group.data.enable_acting_master = header.enable_acting_master.value_or(false);
  group.data.zone_name = header.zone_name;

  const bool is_master = header.broker_id == 0;
  const bool prime_slave =
      header.enable_acting_master.has_value() && !is_master && header.broker_id == group.min_id();
  if (is_master || prime_slave) Publish(header, body, first, delete_missing, group);

  LiveBroker& live = brokers_.FindOrAddLive(key);
  live.name = header.broker_name;
  live.ha_addr = header.ha_server_addr;
  live.version = body.data_version;
  live.last_seen_ms = clock_.MonotonicMs();
  live.timeout_ms = header.heartbeat_timeout_ms.value_or(kDefaultTimeoutMs);
  live.channel_id = channel == nullptr ? 0 : channel->id();
  live.channel = channel;
  live.filter_servers = body.filter_servers;

  result.outcome = Outcome::kRegistered;
  if (const auto master = addrs.find(0); !is_master && master != addrs.end()) {
    if (const LiveBroker* held = brokers_.FindLive({header.cluster, master->second})) {
      result.ha_server_addr = held->ha_addr;
      result.master_addr = master->second;
    }
  }
  if (lowers_min) {
    result.change = MinIdChange{.min_id = header.broker_id,
                                .min_addr = header.broker_addr,
                                .offline_addr = {},
                                .ha_addr = header.ha_server_addr,
                                .tell = AddrsExcept(group, header.broker_id)};
  }
  return result;
}

void RouteTable::Publish(const RegisterBrokerHeader& header, const RegisterBrokerBody& body,
                         bool first, bool delete_missing, BrokerGroup& group) {
  const bool acting = header.broker_id != 0 && group.data.enable_acting_master;
  const bool new_publisher = group.publisher != header.broker_addr;
  if (new_publisher) {
    group.publisher = header.broker_addr;
    group.full_listing_ms = group.full_listing_before_ms = 0;
  }
  const TopicQueues::Listing listing{.broker = header.broker_name,
                                     .version = body.data_version,
                                     .replace_all = first || new_publisher,
                                     .perm_mask = acting ? ~kPermWrite : ~0,
                                     .now_ms = clock_.MonotonicMs()};
  for (const TopicConfig& topic : body.topics) {
    const auto mapping = body.mappings.find(topic.name);
    if (!topics_.List(listing, topic,
                      mapping == body.mappings.end() ? nullptr : &mapping->second)) {
      break;  // Full: what is there stays.
    }
  }
  if (!IsFullListing(header, body)) return;
  if (delete_missing) {
    topics_.Erase(header.broker_name, topics_.Count(header.broker_name, listing.now_ms).not_listed);
    return;
  }
  if (listing.now_ms - group.full_listing_ms > kSettleMs) {
    group.full_listing_before_ms = group.full_listing_ms;
  }
  group.full_listing_ms = listing.now_ms;
  group.full_listing_unswept = true;
}

std::optional<MinIdChange> RouteTable::Remove(const BrokerGroups::Key& key, std::string_view name) {
  brokers_.EraseLive(key);
  BrokerGroup* const group = brokers_.Find(name);
  if (group == nullptr || group->data.cluster != key.first) return std::nullopt;
  const std::int64_t min_id_before = group->min_id();
  if (group->publisher == key.second) group->publisher.clear();
  if (brokers_.EraseAddr(name, key.second)) {
    topics_.EraseBroker(name);
    return std::nullopt;
  }
  if (group->data.enable_acting_master && !group->data.addrs.contains(0)) {
    topics_.ChangePerms(name, [](std::int32_t perm) { return perm & ~kPermWrite; });
  }
  if (group->min_id() == min_id_before) return std::nullopt;
  return MinIdChange{.min_id = group->min_id(),
                     .min_addr = group->data.addrs.begin()->second,
                     .offline_addr = key.second,
                     .ha_addr = {},
                     .tell = AddrsExcept(*group, std::nullopt)};
}

std::optional<MinIdChange> RouteTable::Unregister(const BrokerHeader& broker) {
  const MutexLock lock(mu_);
  return Remove({broker.cluster, broker.broker_addr}, broker.broker_name);
}

std::vector<MinIdChange> RouteTable::OnChannelClosed(std::uint64_t channel_id) {
  std::vector<MinIdChange> changes;
  const MutexLock lock(mu_);
  std::vector<std::pair<BrokerGroups::Key, std::string>> gone;
  for (const auto& [key, live] : brokers_.live()) {
    if (live.channel_id == channel_id) gone.emplace_back(key, live.name);
  }
  for (const auto& [key, name] : gone) {
    if (auto change = Remove(key, name)) changes.push_back(std::move(*change));
  }
  return changes;
}

bool RouteTable::Touch(const std::string& cluster, const std::string& addr) {
  const MutexLock lock(mu_);
  LiveBroker* const live = brokers_.FindLive({cluster, addr});
  if (live == nullptr) return false;
  live->last_seen_ms = clock_.MonotonicMs();
  return true;
}

std::optional<DataVersion> RouteTable::VersionOf(const std::string& cluster,
                                                 const std::string& addr) {
  const MutexLock lock(mu_);
  const LiveBroker* const live = brokers_.FindLive({cluster, addr});
  return live == nullptr ? std::nullopt : std::optional(live->version);
}

RouteTable::Expired RouteTable::ExpireSilent() {
  Expired expired;
  const MutexLock lock(mu_);
  const std::int64_t now = clock_.MonotonicMs();
  std::vector<std::pair<BrokerGroups::Key, std::string>> gone;
  for (const auto& [key, live] : brokers_.live()) {
    if (now - live.last_seen_ms <= live.timeout_ms) continue;
    gone.emplace_back(key, live.name);
    if (auto channel = live.channel.lock()) expired.channels.push_back(std::move(channel));
  }
  for (const auto& [key, name] : gone) {
    if (auto change = Remove(key, name)) expired.changes.push_back(std::move(*change));
  }
  return expired;
}

void RouteTable::Sweep() {
  const MutexLock lock(mu_);
  const std::int64_t now = clock_.MonotonicMs();
  std::vector<std::pair<std::string, std::vector<std::string>>> gone;
  for (const auto& [name, group] : brokers_.groups()) {
    if (!group.full_listing_unswept || now - group.full_listing_ms < kSettleMs) continue;
    TopicQueues::Census census = topics_.Count(name, group.full_listing_ms - kSettleMs);
    if (census.listed <= census.not_listed.size()) {
      // Most of it is missing: a split listing whose pieces came slowly, or a broker that deleted
      // much. The listing before decides.
      census = {};
      if (group.full_listing_before_ms != 0) {
        census = topics_.Count(name, group.full_listing_before_ms - kSettleMs);
      }
    }
    gone.emplace_back(name, std::move(census.not_listed));
  }
  for (const auto& [name, topics] : gone) {
    topics_.Erase(name, topics);
    brokers_.Find(name)->full_listing_unswept = false;
  }
}

}  // namespace apogee
