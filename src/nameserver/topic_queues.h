// Which brokers hold queues of which topic.
//
// A broker lists all its topics every 10 to 60 s, and changed ones in between. A topic that it
// stops listing is gone (docs/decisions/topics-that-brokers-stop-listing.md); until then an entry
// changes only with the broker's data version, so that permissions taken away by an operator stay
// taken away.
//
// Threads: one at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/json.h"
#include "message/topic_config.h"
#include "protocol/topic_route.h"

namespace apogee {

class TopicQueues {
 public:
  struct Entry {
    QueueData queues;
    DataVersion version;              // Of the registration that set `queues`.
    std::int64_t last_listed_ms = 0;  // Monotonic.
    Json mapping;                     // TopicQueueMappingInfo of a static topic, or null.
  };
  using ByBroker = std::map<std::string, Entry, std::less<>>;

  // More than a name server's memory should ever hold; further ones are not taken.
  static constexpr std::size_t kEntriesMax = 4'000'000;

  struct Listing {
    std::string_view broker;
    DataVersion version;
    bool replace_all = false;     // Whatever the version: another process speaks for the broker.
    std::int32_t perm_mask = -1;  // ANDed to permissions.
    std::int64_t now_ms = 0;
  };
  // `broker` lists `topic`. False: no room.
  bool List(const Listing& listing, const TopicConfig& topic, const Json* mapping);
  // Adds an entry as an operator or broker dictates it.
  bool Put(std::string_view topic, QueueData queues, const DataVersion& version,
           std::int64_t now_ms);

  const ByBroker* Find(std::string_view topic) const;
  std::vector<std::string> Names() const;
  // Names of topics for which some entry satisfies `wanted(broker, queues)`; sorted.
  std::vector<std::string> NamesWhere(
      const std::function<bool(std::string_view, const QueueData&)>& wanted) const;

  void EraseTopic(std::string_view topic);
  void EraseFrom(std::string_view topic, const std::set<std::string>& brokers);
  void EraseBroker(std::string_view broker);
  // Sets the permissions of all of the broker's queues; returns how many.
  int ChangePerms(std::string_view broker, const std::function<std::int32_t(std::int32_t)>& change);

  struct Census {
    std::size_t listed = 0;  // Since the moment asked for.
    std::vector<std::string> not_listed;
  };
  Census Count(std::string_view broker, std::int64_t since_ms) const;
  void Erase(std::string_view broker, const std::vector<std::string>& topics);

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>{}(text);
    }
  };
  using Table = std::unordered_map<std::string, ByBroker, Hash, std::equal_to<>>;

  Entry* Room(std::string_view topic, std::string_view broker, bool* added);
  void EraseEntry(Table::iterator topic, std::string_view broker);

  Table topics_;
  std::size_t entries_ = 0;
};

}  // namespace apogee
