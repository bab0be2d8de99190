// Creating, changing and deleting topics and groups as an administrator asks, with all that belongs
// to them. Threads: any; deleting blocks on the disk, so not on an event loop.
#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"
#include "broker/consumer_offsets.h"
#include "broker/group_table.h"
#include "broker/queue_locks.h"
#include "broker/topic_table.h"
#include "store/message_store.h"

namespace apogee {

class TopicAdmin {
 public:
  // All must outlive this.
  TopicAdmin(TopicTable& topics, GroupTable& groups, ConsumerOffsets& offsets, QueueLocks& locks,
             MessageStore& store);

  // Attributes of `config` are changes (TopicTable::Put). Errors carry RocketMQ's texts:
  // kInvalidArgument for a name that is not valid or belongs to the system and for message type
  // MIXED, kUnsupported for any other bad attribute.
  Status Update(TopicConfig config);
  // All or nothing.
  Status UpdateAll(std::vector<TopicConfig> configs);
  // Topic, queues, all groups' positions (on the disk too), locks; fine when there is no such
  // topic.
  Status Delete(std::string_view topic);

  // Deletes the group; `clean_offsets`: its positions too, on the disk as well.
  Status DeleteGroup(std::string_view group, bool clean_offsets);

 private:
  Status Check(const TopicConfig& config) const;

  TopicTable& topics_;
  GroupTable& groups_;
  ConsumerOffsets& offsets_;
  QueueLocks& locks_;
  MessageStore& store_;
};

}  // namespace apogee
