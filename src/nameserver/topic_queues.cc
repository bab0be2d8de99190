#include "nameserver/topic_queues.h"

#include <algorithm>
#include <utility>

namespace apogee {

TopicQueues::Entry* TopicQueues::Room(std::string_view topic, std::string_view broker,
                                      bool* added) {
  *added = false;
  auto by_broker = topics_.find(topic);
  if (by_broker != topics_.end()) {
    const auto entry = by_broker->second.find(broker);
    if (entry != by_broker->second.end()) return &entry->second;
  }
  if (entries_ >= kEntriesMax) return nullptr;
  if (by_broker == topics_.end()) by_broker = topics_.try_emplace(std::string(topic)).first;
  ++entries_;
  *added = true;
  return &by_broker->second.try_emplace(std::string(broker)).first->second;
}

bool TopicQueues::List(const Listing& listing, const TopicConfig& topic, const Json* mapping) {
  bool added = false;
  Entry* const entry = Room(topic.name, listing.broker, &added);
  if (entry == nullptr) return false;
  entry->last_listed_ms = listing.now_ms;
  if (!added && !listing.replace_all && entry->version == listing.version) return true;
  entry->version = listing.version;
  entry->queues.broker_name = listing.broker;
  entry->queues.read_queues = topic.read_queues;
  entry->queues.write_queues = topic.write_queues;
  entry->queues.perm = topic.perm & listing.perm_mask;
  entry->queues.topic_sys_flag = topic.sys_flag;
  entry->mapping = mapping != nullptr ? *mapping : Json();
  return true;
}

bool TopicQueues::Put(std::string_view topic, QueueData queues, const DataVersion& version,
                      std::int64_t now_ms) {
  bool added = false;
  Entry* const entry = Room(topic, queues.broker_name, &added);
  if (entry == nullptr) return false;
  entry->queues = std::move(queues);
  entry->version = version;
  entry->last_listed_ms = now_ms;
  return true;
}

const TopicQueues::ByBroker* TopicQueues::Find(std::string_view topic) const {
  const auto found = topics_.find(topic);
  return found == topics_.end() ? nullptr : &found->second;
}

std::vector<std::string> TopicQueues::Names() const {
  return NamesWhere([](std::string_view, const QueueData&) { return true; });
}

std::vector<std::string> TopicQueues::NamesWhere(
    const std::function<bool(std::string_view, const QueueData&)>& wanted) const {
  std::vector<std::string> names;
  for (const auto& [topic, by_broker] : topics_) {
    if (std::ranges::any_of(
            by_broker, [&](const auto& one) { return wanted(one.first, one.second.queues); })) {
      names.push_back(topic);
    }
  }
  std::ranges::sort(names);
  return names;
}

void TopicQueues::EraseTopic(std::string_view topic) {
  const auto found = topics_.find(topic);
  if (found == topics_.end()) return;
  entries_ -= found->second.size();
  topics_.erase(found);
}

void TopicQueues::EraseEntry(Table::iterator topic, std::string_view broker) {
  const auto entry = topic->second.find(broker);
  if (entry == topic->second.end()) return;
  topic->second.erase(entry);
  --entries_;
  if (topic->second.empty()) topics_.erase(topic);
}

void TopicQueues::EraseFrom(std::string_view topic, const std::set<std::string>& brokers) {
  for (const std::string& broker : brokers) {
    if (const auto found = topics_.find(topic); found != topics_.end()) EraseEntry(found, broker);
  }
}

void TopicQueues::EraseBroker(std::string_view broker) {
  for (auto topic = topics_.begin(); topic != topics_.end();) {
    EraseEntry(std::exchange(topic, std::next(topic)), broker);
  }
}

int TopicQueues::ChangePerms(std::string_view broker,
                             const std::function<std::int32_t(std::int32_t)>& change) {
  int count = 0;
  for (auto& [topic, by_broker] : topics_) {
    const auto entry = by_broker.find(broker);
    if (entry == by_broker.end()) continue;
    entry->second.queues.perm = change(entry->second.queues.perm);
    ++count;
  }
  return count;
}

TopicQueues::Census TopicQueues::Count(std::string_view broker, std::int64_t since_ms) const {
  Census census;
  for (const auto& [topic, by_broker] : topics_) {
    const auto entry = by_broker.find(broker);
    if (entry == by_broker.end()) continue;
    if (entry->second.last_listed_ms >= since_ms) {
      ++census.listed;
    } else {
      census.not_listed.push_back(topic);
    }
  }
  return census;
}

void TopicQueues::Erase(std::string_view broker, const std::vector<std::string>& topics) {
  for (const std::string& topic : topics) {
    if (const auto found = topics_.find(topic); found != topics_.end()) EraseEntry(found, broker);
  }
}

}  // namespace apogee
