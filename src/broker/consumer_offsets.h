// How far each group has consumed each queue, kept in config/consumerOffset.json (written every 5 s
// and on stop: a crash loses at most that much progress, which means messages again, never messages
// lost). Threads: any.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "env/clock.h"
#include "message/topic_config.h"
#include "store/metadata_file.h"

namespace apogee {

class ConsumerOffsets {
 public:
  ConsumerOffsets(MetadataFile file, Clock& clock);

  // nullopt when nothing, or a negative number, is stored.
  std::optional<std::int64_t> Find(std::string_view group, std::string_view topic,
                                   std::int32_t queue) const;
  // A lower offset is taken, a negative one changes nothing.
  void Commit(std::string_view group, std::string_view topic, std::int32_t queue,
              std::int64_t offset);

  // Forgets all groups' offsets of a topic / all topics' offsets of a group.
  void RemoveTopic(std::string_view topic);
  void RemoveGroup(std::string_view group);
  std::vector<std::string> TopicsOf(std::string_view group) const;
  std::vector<std::string> GroupsOf(std::string_view topic) const;

  Json ToJson() const;  // As code 43 and the file have it.
  Status Persist();

 private:
  using Queues = std::map<std::int32_t, std::int64_t>;
  Clock& clock_;
  mutable Mutex mu_;
  std::map<std::string, Queues, std::less<>> offsets_ AP_GUARDED_BY(mu_);  // By "topic@group".
  DataVersion version_ AP_GUARDED_BY(mu_);
  std::int64_t commits_ AP_GUARDED_BY(mu_) = 0;
  Mutex file_mu_;  // Before mu_.
  MetadataFile file_ AP_GUARDED_BY(file_mu_);
};

}  // namespace apogee
