// The broker's topics, kept in config/topics.json.
//
// Threads: any. Look-ups hand out shared constant configs. Changes are persisted by the next
// Persist() (the owner's worker calls it; every change wakes it) and told to the listener for
// registration at the name servers.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/mutex.h"
#include "base/result.h"
#include "broker/identity.h"
#include "env/clock.h"
#include "message/topic_config.h"
#include "store/metadata_file.h"

namespace apogee {

struct TopicTableOptions {
  bool auto_create = true;          // autoCreateTopicEnable
  std::int32_t default_queues = 8;  // defaultTopicQueueNums
  bool cluster_topic = true;        // clusterTopicEnable
  bool broker_topic = true;         // brokerTopicEnable
  bool trace_topic = false;         // traceTopicEnable
  std::string trace_topic_name = "RMQ_SYS_TRACE_TOPIC";
};

using TopicPtr = std::shared_ptr<const TopicConfig>;

class TopicTable {
 public:
  // Loads the file and adds the system topics (remoting reference §5.6). `identity`, `clock` must
  // outlive this.
  TopicTable(TopicTableOptions options, const BrokerIdentity& identity, MetadataFile file,
             Clock& clock);

  // Called after each change, with no lock held, with the topics changed (empty: a deletion). A
  // call that has begun may still run when another listener is set.
  using ChangeListener = std::function<void(const std::vector<TopicPtr>& changed)>;
  void SetChangeListener(ChangeListener listener);

  TopicPtr Find(std::string_view topic) const;  // nullptr when unknown.

  // The topic, created after `default_topic` when unknown: that template must exist and be
  // inheritable; queue count = min(wanted, template's), never negative. nullptr when it may not be
  // created.
  TopicPtr FindOrInherit(std::string_view topic, std::string_view default_topic,
                         std::int32_t wanted_queues, std::int32_t sys_flag,
                         bool* created = nullptr);
  // A topic the broker itself needs (retry, dead letter): created with `queues` and `perm` unless
  // it exists.
  TopicPtr FindOrCreate(std::string_view topic, std::int32_t queues, std::int32_t perm,
                        std::int32_t sys_flag);

  // Creates or replaces (code 17). Attributes in `config` are changes ("+key" → value, "-key"):
  // checked and merged; kInvalidArgument with RocketMQ's texts. `*changed` false when it was equal
  // already. System topics are the caller's check.
  Status Put(TopicConfig config, bool* changed);
  Status PutAll(std::vector<TopicConfig> configs);  // All or nothing.
  bool Remove(std::string_view topic);

  // All topics sorted by name, with the version they belong to.
  std::vector<TopicPtr> All(DataVersion* version) const;
  DataVersion version() const;
  // As the file had it at start; all zero when there was none.
  const DataVersion& loaded_version() const { return loaded_version_; }
  // The names that code 305 lists.
  std::vector<std::string> SystemTopics() const;
  bool IsSystem(std::string_view topic) const;

  // Writes the file when something changed since. Blocks on the disk.
  Status Persist();

 private:
  struct NameHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view s) const { return std::hash<std::string_view>{}(s); }
  };
  using Table = std::unordered_map<std::string, TopicPtr, NameHash, std::equal_to<>>;

  void AddSystemTopics();
  void Changed(std::vector<TopicPtr> topics) AP_EXCLUDES(mu_);

  const TopicTableOptions options_;
  const BrokerIdentity& identity_;
  Clock& clock_;
  DataVersion loaded_version_;  // Constant after construction.
  mutable Mutex mu_;
  std::shared_ptr<const ChangeListener> listener_ AP_GUARDED_BY(mu_);
  Table topics_ AP_GUARDED_BY(mu_);
  DataVersion version_ AP_GUARDED_BY(mu_);
  Mutex file_mu_;  // Before mu_: a snapshot is taken and written under it.
  MetadataFile file_ AP_GUARDED_BY(file_mu_);
};

}  // namespace apogee
