#include "broker/topic_table.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/log.h"
#include "broker/topic_attributes.h"
#include "message/names.h"

namespace apogee {
namespace {

constexpr std::int32_t kReadWrite = kPermRead | kPermWrite;

TopicConfig Named(std::string name, std::int32_t queues, std::int32_t perm = kReadWrite) {
  TopicConfig config;
  config.name = std::move(name);
  config.read_queues = queues;
  config.write_queues = queues;
  config.perm = perm;
  return config;
}

// The system topics of a fresh broker (remoting reference §5.6).
std::vector<TopicConfig> BuiltIn(const TopicTableOptions& options, const BrokerIdentity& identity) {
  std::vector<TopicConfig> topics = {
      Named(std::string(kSelfTestTopic), 1),
      Named(std::string(kBenchmarkTopic), 1024),
      Named(identity.cluster, 16, kPermInherit | (options.cluster_topic ? kReadWrite : 0)),
      Named(identity.name, 1, kPermInherit | (options.broker_topic ? kReadWrite : 0)),
      Named(std::string(kOffsetMovedTopic), 1),
      Named(std::string(kScheduleTopic), 18),
      Named(identity.cluster + "_REPLY_TOPIC", 1),
      Named("rmq_sys_REVIVE_LOG_" + identity.cluster, 8),
      Named("rmq_sys_SYNC_BROKER_MEMBER_" + identity.name, 1, kPermInherit),
      Named(std::string(kWheelTimerTopic), 1),
      Named(std::string(kHalfTopic), 1),
      Named(std::string(kOpHalfTopic), 1),
      Named(std::string(kRocksdbHalfTopic), 1),
      Named(std::string(kRocksdbOpHalfTopic), 1),
  };
  if (options.auto_create) {
    topics.push_back(
        Named(std::string(kAutoCreateTopic), options.default_queues, kReadWrite | kPermInherit));
  }
  if (options.trace_topic) topics.push_back(Named(options.trace_topic_name, 1));
  return topics;
}

}  // namespace

TopicTable::TopicTable(TopicTableOptions options, const BrokerIdentity& identity, MetadataFile file,
                       Clock& clock)
    : options_(std::move(options)), identity_(identity), clock_(clock), file_(std::move(file)) {
  std::optional<Json> saved;
  {
    MutexLock lock(file_mu_);
    saved = file_.Load();
  }
  if (saved) {
    MutexLock lock(mu_);
    version_ = loaded_version_ = DataVersion::FromJson((*saved)["dataVersion"]);
    for (const auto& [name, config] : (*saved)["topicConfigTable"].object()) {
      TopicConfig topic = TopicConfig::FromJson(config);
      if (topic.name.empty()) topic.name = name;
      const auto loaded = std::make_shared<const TopicConfig>(std::move(topic));
      topics_[loaded->name] = loaded;
    }
  }
  AddSystemTopics();
}

void TopicTable::AddSystemTopics() {
  MutexLock lock(mu_);
  bool added = false;
  for (TopicConfig& topic : BuiltIn(options_, identity_)) {
    // The switch of the template topic counts, not what an earlier run left in the file.
    const bool is_template = topic.name == kAutoCreateTopic;
    auto [at, inserted] = topics_.try_emplace(topic.name, nullptr);
    if (!inserted && (!is_template || *at->second == topic)) continue;
    at->second = std::make_shared<const TopicConfig>(std::move(topic));
    added = true;
  }
  if (added) version_.Advance(clock_.WallMs());
}

void TopicTable::SetChangeListener(ChangeListener listener) {
  MutexLock lock(mu_);
  listener_ = listener ? std::make_shared<const ChangeListener>(std::move(listener)) : nullptr;
}

void TopicTable::Changed(std::vector<TopicPtr> topics) {
  std::shared_ptr<const ChangeListener> listener;
  {
    MutexLock lock(mu_);
    listener = listener_;
  }
  if (listener) (*listener)(topics);
}

TopicPtr TopicTable::Find(std::string_view topic) const {
  MutexLock lock(mu_);
  const auto at = topics_.find(topic);
  return at == topics_.end() ? nullptr : at->second;
}

TopicPtr TopicTable::FindOrInherit(std::string_view topic, std::string_view default_topic,
                                   std::int32_t wanted_queues, std::int32_t sys_flag,
                                   bool* created) {
  TopicPtr made;
  {
    MutexLock lock(mu_);
    if (const auto at = topics_.find(topic); at != topics_.end()) return at->second;
    const auto at = topics_.find(default_topic);
    if (at == topics_.end()) return nullptr;
    const TopicConfig& pattern = *at->second;
    const bool switched_off = default_topic == kAutoCreateTopic && !options_.auto_create;
    if (!pattern.inherited() || switched_off) return nullptr;

    TopicConfig config;
    config.name = std::string(topic);
    config.write_queues = std::max(0, std::min(wanted_queues, pattern.write_queues));
    config.read_queues = config.write_queues;
    config.perm = pattern.perm & ~kPermInherit;
    config.multi_tag = pattern.multi_tag;
    config.sys_flag = sys_flag;
    made = std::make_shared<const TopicConfig>(std::move(config));
    topics_[made->name] = made;
    version_.Advance(clock_.WallMs());
  }
  LogInfo("topic {} created after {} with {} queues", topic, default_topic, made->write_queues);
  if (created != nullptr) *created = true;
  Changed({made});
  return made;
}

TopicPtr TopicTable::FindOrCreate(std::string_view topic, std::int32_t queues, std::int32_t perm,
                                  std::int32_t sys_flag) {
  TopicPtr made;
  {
    MutexLock lock(mu_);
    if (const auto at = topics_.find(topic); at != topics_.end()) return at->second;
    TopicConfig config = Named(std::string(topic), queues, perm);
    config.sys_flag = sys_flag;
    made = std::make_shared<const TopicConfig>(std::move(config));
    topics_[made->name] = made;
    version_.Advance(clock_.WallMs());
  }
  Changed({made});
  return made;
}

Status TopicTable::Put(TopicConfig config, bool* changed) {
  TopicPtr made;
  {
    MutexLock lock(mu_);
    const auto at = topics_.find(config.name);
    const TopicConfig* before = at == topics_.end() ? nullptr : at->second.get();
    AP_TRY(config.attributes,
           MergeTopicAttributes(before ? &before->attributes : nullptr, config.attributes));
    if (before != nullptr && *before == config) {
      *changed = false;
      return Ok();
    }
    made = std::make_shared<const TopicConfig>(std::move(config));
    topics_[made->name] = made;
    version_.Advance(clock_.WallMs());
  }
  *changed = true;
  Changed({made});
  return Ok();
}

Status TopicTable::PutAll(std::vector<TopicConfig> configs) {
  std::vector<TopicPtr> changed;
  {
    MutexLock lock(mu_);
    for (TopicConfig& config : configs) {
      const auto at = topics_.find(config.name);
      const TopicConfig* before = at == topics_.end() ? nullptr : at->second.get();
      AP_TRY(config.attributes,
             MergeTopicAttributes(before ? &before->attributes : nullptr, config.attributes));
      if (before == nullptr || *before != config) {
        changed.push_back(std::make_shared<const TopicConfig>(std::move(config)));
      }
    }
    if (changed.empty()) return Ok();
    for (const TopicPtr& topic : changed) topics_[topic->name] = topic;
    version_.Advance(clock_.WallMs());
  }
  Changed(std::move(changed));
  return Ok();
}

bool TopicTable::Remove(std::string_view topic) {
  {
    MutexLock lock(mu_);
    const auto at = topics_.find(topic);
    if (at == topics_.end()) return false;
    topics_.erase(at);
    version_.Advance(clock_.WallMs());
  }
  Changed({});
  return true;
}

std::vector<TopicPtr> TopicTable::All(DataVersion* version) const {
  std::vector<TopicPtr> all;
  {
    MutexLock lock(mu_);
    all.reserve(topics_.size());
    for (const auto& [name, topic] : topics_) all.push_back(topic);
    if (version != nullptr) *version = version_;
  }
  std::ranges::sort(all, {},
                    [](const TopicPtr& topic) -> const std::string& { return topic->name; });
  return all;
}

DataVersion TopicTable::version() const {
  MutexLock lock(mu_);
  return version_;
}

std::vector<std::string> TopicTable::SystemTopics() const {
  std::set<std::string> names;
  for (const TopicConfig& topic : BuiltIn(options_, identity_)) names.insert(topic.name);
  names.insert(std::string(kTransCheckMaxTopic));
  names.insert(std::string(kCheckpointTopic));
  return {names.begin(), names.end()};
}

bool TopicTable::IsSystem(std::string_view topic) const {
  return topic == identity_.name || IsSystemTopic(topic, identity_.cluster);
}

Status TopicTable::Persist() {
  MutexLock file_lock(file_mu_);
  Json::Object table;
  DataVersion version;
  for (const TopicPtr& topic : All(&version)) table.emplace_back(topic->name, topic->ToJson());
  Json content(Json::Object{});
  content.Set("dataVersion", version.ToJson());
  content.Set("topicConfigTable", Json(std::move(table)));
  return file_.Save(content);
}

}  // namespace apogee
