// The consumer groups' configurations, kept in config/subscriptionGroup.json.
// Threads: any. As TopicTable: changes are persisted by the next Persist().
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "base/result.h"
#include "env/clock.h"
#include "message/group_config.h"
#include "message/topic_config.h"
#include "store/metadata_file.h"

namespace apogee {

using GroupPtr = std::shared_ptr<const GroupConfig>;

class GroupTable {
 public:
  // Loads the file and adds the built-in groups. `auto_create` = autoCreateSubscriptionGroup.
  GroupTable(bool auto_create, MetadataFile file, Clock& clock);

  using ChangeListener = std::function<void()>;  // As TopicTable's.
  void SetChangeListener(ChangeListener listener);

  GroupPtr Find(std::string_view group) const;
  // The group, created when it is valid and either auto-creation is on or it is a system group;
  // else nullptr.
  GroupPtr FindOrCreate(std::string_view group);
  // kInvalidArgument with RocketMQ's text when the name is not valid.
  Status Put(GroupConfig config);
  Status PutAll(std::vector<GroupConfig> configs);
  bool Remove(std::string_view group);
  std::vector<GroupPtr> All(DataVersion* version) const;  // Sorted by name.
  DataVersion version() const;
  // forbiddenTable as it stands in the file, for code 201.
  Json Forbidden() const;

  Status Persist();

 private:
  void Changed() AP_EXCLUDES(mu_);

  Clock& clock_;
  const bool auto_create_;
  mutable Mutex mu_;
  std::shared_ptr<const ChangeListener> listener_ AP_GUARDED_BY(mu_);
  std::map<std::string, GroupPtr, std::less<>> groups_ AP_GUARDED_BY(mu_);
  Json forbidden_ AP_GUARDED_BY(mu_);
  DataVersion version_ AP_GUARDED_BY(mu_);
  Mutex file_mu_;  // Before mu_.
  MetadataFile file_ AP_GUARDED_BY(file_mu_);
};

}  // namespace apogee
