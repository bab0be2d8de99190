#include "broker/group_table.h"

#include <array>
#include <utility>

#include "base/log.h"
#include "message/names.h"

namespace apogee {
namespace {

constexpr auto kBuiltIn = std::to_array<std::string_view>({
    "TOOLS_CONSUMER",
    "FILTERSRV_CONSUMER",
    "SELF_TEST_C_GROUP",
    "CID_ONS-HTTP-PROXY",
    "CID_ONSAPI_PULL",
    "CID_ONSAPI_PERMISSION",
    "CID_ONSAPI_OWNER",
    "CID_RMQ_SYS_TRANS",
});

}  // namespace

GroupTable::GroupTable(bool auto_create, MetadataFile file, Clock& clock)
    : clock_(clock), auto_create_(auto_create), file_(std::move(file)) {
  std::optional<Json> saved;
  {
    MutexLock lock(file_mu_);
    saved = file_.Load();
  }
  MutexLock lock(mu_);
  forbidden_ = Json(Json::Object{});
  if (saved) {
    version_ = DataVersion::FromJson((*saved)["dataVersion"]);
    if ((*saved)["forbiddenTable"].is_object()) forbidden_ = (*saved)["forbiddenTable"];
    for (const auto& [name, json] : (*saved)["subscriptionGroupTable"].object()) {
      GroupConfig group = GroupConfig::FromJson(json);
      if (group.name.empty()) group.name = name;
      const auto loaded = std::make_shared<const GroupConfig>(std::move(group));
      groups_[loaded->name] = loaded;
    }
  }
  for (const std::string_view name : kBuiltIn) {
    auto [at, inserted] = groups_.try_emplace(std::string(name), nullptr);
    if (!inserted) continue;
    GroupConfig group;
    group.name = name;
    at->second = std::make_shared<const GroupConfig>(std::move(group));
  }
}

void GroupTable::SetChangeListener(ChangeListener listener) {
  MutexLock lock(mu_);
  listener_ = listener ? std::make_shared<const ChangeListener>(std::move(listener)) : nullptr;
}

void GroupTable::Changed() {
  std::shared_ptr<const ChangeListener> listener;
  {
    MutexLock lock(mu_);
    listener = listener_;
  }
  if (listener) (*listener)();
}

GroupPtr GroupTable::Find(std::string_view group) const {
  MutexLock lock(mu_);
  const auto at = groups_.find(group);
  return at == groups_.end() ? nullptr : at->second;
}

GroupPtr GroupTable::FindOrCreate(std::string_view group) {
  if (GroupPtr found = Find(group)) return found;
  if (!auto_create_ && !IsSystemGroup(group)) return nullptr;
  if (!CheckGroupName(group).ok()) return nullptr;
  GroupPtr made;
  {
    MutexLock lock(mu_);
    auto [at, inserted] = groups_.try_emplace(std::string(group), nullptr);
    if (!inserted) return at->second;
    GroupConfig config;
    config.name = std::string(group);
    made = at->second = std::make_shared<const GroupConfig>(std::move(config));
    version_.Advance(clock_.WallMs());
  }
  LogInfo("consumer group {} created", group);
  Changed();
  return made;
}

Status GroupTable::Put(GroupConfig config) {
  std::vector<GroupConfig> one;
  one.push_back(std::move(config));
  return PutAll(std::move(one));
}

Status GroupTable::PutAll(std::vector<GroupConfig> configs) {
  for (const GroupConfig& config : configs) AP_RETURN_IF_ERROR(CheckGroupName(config.name));
  if (configs.empty()) return Ok();
  {
    MutexLock lock(mu_);
    for (GroupConfig& config : configs) {
      std::string name = config.name;
      groups_[std::move(name)] = std::make_shared<const GroupConfig>(std::move(config));
    }
    version_.Advance(clock_.WallMs());
  }
  Changed();
  return Ok();
}

bool GroupTable::Remove(std::string_view group) {
  {
    MutexLock lock(mu_);
    const auto at = groups_.find(group);
    if (at == groups_.end()) return false;
    groups_.erase(at);
    version_.Advance(clock_.WallMs());
  }
  Changed();
  return true;
}

std::vector<GroupPtr> GroupTable::All(DataVersion* version) const {
  MutexLock lock(mu_);
  std::vector<GroupPtr> all;
  all.reserve(groups_.size());
  for (const auto& [name, group] : groups_) all.push_back(group);
  if (version != nullptr) *version = version_;
  return all;
}

DataVersion GroupTable::version() const {
  MutexLock lock(mu_);
  return version_;
}

Json GroupTable::Forbidden() const {
  MutexLock lock(mu_);
  return forbidden_;
}

Status GroupTable::Persist() {
  MutexLock file_lock(file_mu_);
  Json::Object table;
  DataVersion version;
  for (const GroupPtr& group : All(&version)) table.emplace_back(group->name, group->ToJson());
  Json content(Json::Object{});
  content.Set("dataVersion", version.ToJson());
  content.Set("forbiddenTable", Forbidden());
  content.Set("subscriptionGroupTable", Json(std::move(table)));
  return file_.Save(content);
}

}  // namespace apogee
