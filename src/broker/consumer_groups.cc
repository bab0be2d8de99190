#include "broker/consumer_groups.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/log.h"

namespace apogee {
namespace {

using Subscriptions = std::map<std::string, std::shared_ptr<const Subscription>, std::less<>>;

// The later heartbeat of a connection wins, whatever version it claims: a client restarted with its
// clock set back must not be held to its old tags.
Subscriptions TableOf(const std::vector<Subscription>& subscriptions) {
  Subscriptions table;
  for (const Subscription& subscription : subscriptions) {
    table[subscription.topic] = std::make_shared<const Subscription>(subscription);
  }
  return table;
}

bool SameTopics(const Subscriptions& a, const Subscriptions& b) {
  return std::ranges::equal(
      a, b, {}, [](const auto& entry) { return entry.first; },
      [](const auto& entry) { return entry.first; });
}

}  // namespace

ConsumerGroups::ConsumerGroups(Clock& clock, bool notify) : clock_(clock), notify_(notify) {}

ConsumerMember& ConsumerGroups::Seen(const ConsumerHeartbeat& heartbeat, std::string_view client_id,
                                     const std::shared_ptr<ClientHandle>& client, bool notify_group,
                                     bool* joined) {
  auto group_at = groups_.find(heartbeat.group);
  if (group_at == groups_.end()) group_at = groups_.try_emplace(heartbeat.group).first;
  Group& group = group_at->second;
  group.consume_type = heartbeat.consume_type;
  group.model = heartbeat.model;
  group.from = heartbeat.from;
  group.notify = notify_group;

  const auto [member_at, is_new] = group.members.try_emplace(client->id());
  ConsumerMember& member = member_at->second;
  *joined = is_new || member.client_id != client_id;
  member.client_id = client_id;
  member.client = client;
  member.last_seen_ms = clock_.MonotonicMs();
  return member;
}

std::string ConsumerGroups::Complaint(const Group& group, const ConsumerMember& changed) const {
  for (const auto& [id, member] : group.members) {
    if (&member == &changed) continue;
    if (member.client_id == changed.client_id) {
      return fmt::format("{} and {} both call themselves {}: they get the same queues",
                         member.client->address(), changed.client->address(), changed.client_id);
    }
    if (member.subscriptions_known && changed.subscriptions_known &&
        !SameTopics(member.subscriptions, changed.subscriptions)) {
      return fmt::format(
          "{} and {} subscribe to different topics: queues of a topic are shared "
          "among all members, and those that do not subscribe leave theirs alone",
          member.client_id, changed.client_id);
    }
  }
  return {};
}

bool ConsumerGroups::Register(const ConsumerHeartbeat& heartbeat, std::string_view client_id,
                              const std::shared_ptr<ClientHandle>& client, bool notify_group) {
  bool changed = false;
  std::string complaint;
  {
    MutexLock lock(mu_);
    ConsumerMember& member = Seen(heartbeat, client_id, client, notify_group, &changed);
    Subscriptions table = TableOf(heartbeat.subscriptions);
    changed |= !member.subscriptions_known || !SameTopics(member.subscriptions, table);
    member.subscriptions = std::move(table);
    member.subscriptions_known = true;
    if (changed) complaint = Complaint(groups_.find(heartbeat.group)->second, member);
  }
  if (!complaint.empty()) LogWarning("consumer group {}: {}", heartbeat.group, complaint);
  if (changed) Notify(heartbeat.group);
  return changed;
}

bool ConsumerGroups::Refresh(const ConsumerHeartbeat& heartbeat, std::string_view client_id,
                             const std::shared_ptr<ClientHandle>& client, bool notify_group) {
  bool joined = false;
  bool known = false;
  {
    MutexLock lock(mu_);
    known = Seen(heartbeat, client_id, client, notify_group, &joined).subscriptions_known;
  }
  if (joined) Notify(heartbeat.group);
  return known;
}

void ConsumerGroups::Unregister(std::string_view group, std::string_view client_id,
                                const ClientHandle& client) {
  {
    MutexLock lock(mu_);
    const auto group_at = groups_.find(group);
    if (group_at == groups_.end()) return;
    const auto member = group_at->second.members.find(client.id());
    if (member == group_at->second.members.end() || member->second.client_id != client_id) return;
    group_at->second.members.erase(member);
    if (group_at->second.members.empty()) groups_.erase(group_at);
  }
  Notify(group);
}

void ConsumerGroups::RegisterProducer(std::string_view group, std::string_view client_id,
                                      const std::shared_ptr<ClientHandle>& client) {
  MutexLock lock(mu_);
  auto at = producers_.find(group);
  if (at == producers_.end()) at = producers_.try_emplace(std::string(group)).first;
  at->second[client->id()] = {std::string(client_id), client, clock_.MonotonicMs()};
}

void ConsumerGroups::UnregisterProducer(std::string_view group, const ClientHandle& client) {
  MutexLock lock(mu_);
  const auto at = producers_.find(group);
  if (at == producers_.end()) return;
  at->second.erase(client.id());
  if (at->second.empty()) producers_.erase(at);
}

void ConsumerGroups::OnClientClosed(const ClientHandle& client) {
  std::vector<std::string> left;
  {
    MutexLock lock(mu_);
    for (auto& [name, group] : groups_) {
      if (group.members.erase(client.id()) != 0) left.push_back(name);
    }
    std::erase_if(groups_, [](const auto& entry) { return entry.second.members.empty(); });
    for (auto& [name, members] : producers_) members.erase(client.id());
    std::erase_if(producers_, [](const auto& entry) { return entry.second.empty(); });
  }
  for (const std::string& group : left) Notify(group);
}

void ConsumerGroups::ExpireSilent(std::int64_t limit_ms) {
  const std::int64_t oldest = clock_.MonotonicMs() - limit_ms;
  std::map<std::uint64_t, std::shared_ptr<ClientHandle>> silent;
  {
    MutexLock lock(mu_);
    for (const auto& [name, group] : groups_) {
      for (const auto& [id, member] : group.members) {
        if (member.last_seen_ms < oldest) silent.emplace(id, member.client);
      }
    }
    for (const auto& [name, members] : producers_) {
      for (const auto& [id, producer] : members) {
        if (producer.last_seen_ms < oldest) silent.emplace(id, producer.client);
      }
    }
  }
  for (const auto& [id, client] : silent) {
    LogInfo("client {} sent no heartbeat for {} s: removed", client->address(), limit_ms / 1000);
    OnClientClosed(*client);
    client->Close();
  }
}

void ConsumerGroups::Notify(std::string_view group) const {
  if (!notify_) return;
  std::vector<std::shared_ptr<ClientHandle>> members;
  {
    MutexLock lock(mu_);
    const auto at = groups_.find(group);
    if (at == groups_.end()) return;
    if (!at->second.notify || at->second.model == MessageModel::kBroadcasting) return;
    for (const auto& [id, member] : at->second.members) members.push_back(member.client);
  }
  for (const std::shared_ptr<ClientHandle>& client : members) {
    client->NotifyConsumerIdsChanged(group);
  }
}

bool ConsumerGroups::Online(std::string_view group) const {
  MutexLock lock(mu_);
  return groups_.contains(group);
}

std::vector<std::string> ConsumerGroups::ClientIds(std::string_view group) const {
  std::set<std::string> ids;
  MutexLock lock(mu_);
  const auto at = groups_.find(group);
  if (at == groups_.end()) return {};
  for (const auto& [id, member] : at->second.members) ids.insert(member.client_id);
  return {ids.begin(), ids.end()};
}

std::optional<ConsumerGroupView> ConsumerGroups::View(std::string_view group) const {
  MutexLock lock(mu_);
  const auto at = groups_.find(group);
  if (at == groups_.end()) return std::nullopt;
  ConsumerGroupView view{at->second.consume_type, at->second.model, at->second.from, {}};
  for (const auto& [id, member] : at->second.members) view.members.push_back(member);
  return view;
}

std::vector<std::string> ConsumerGroups::GroupsSubscribing(std::string_view topic) const {
  MutexLock lock(mu_);
  std::vector<std::string> names;
  for (const auto& [name, group] : groups_) {
    const bool subscribes = std::ranges::any_of(group.members, [&](const auto& entry) {
      return entry.second.subscriptions.contains(topic);
    });
    if (subscribes) names.push_back(name);
  }
  return names;
}

ConsumerGroups::Subscribed ConsumerGroups::FindSubscription(std::string_view group,
                                                            std::string_view topic,
                                                            std::uint64_t client) const {
  Subscribed found;
  MutexLock lock(mu_);
  const auto at = groups_.find(group);
  if (at == groups_.end()) return found;
  found.group_online = true;
  found.model = at->second.model;
  const auto& members = at->second.members;
  const auto member = members.find(client);
  if (member != members.end() && member->second.subscriptions_known) {
    const auto own = member->second.subscriptions.find(topic);
    if (own != member->second.subscriptions.end()) found.subscription = own->second;
    return found;
  }
  for (const auto& [id, other] : members) {
    const auto theirs = other.subscriptions.find(topic);
    if (theirs != other.subscriptions.end()) {
      found.subscription = theirs->second;
      return found;
    }
  }
  return found;
}

}  // namespace apogee
