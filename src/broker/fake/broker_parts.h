// A broker's tables over files, time and chance that a test owns.
#pragma once

#include <string>

#include "broker/consumer_groups.h"
#include "broker/consumer_offsets.h"
#include "broker/fake/memory_store.h"
#include "broker/group_table.h"
#include "broker/queue_locks.h"
#include "broker/topic_table.h"
#include "env/fake/manual_clock.h"
#include "env/fake/manual_workers.h"
#include "env/fake/memory_file_system.h"
#include "env/fake/seeded_random.h"

namespace apogee {

struct BrokerParts {
  explicit BrokerParts(bool auto_create = true)
      : topics({.auto_create = auto_create}, identity,
               MetadataFile("config/topics.json", files, clock), clock),
        groups(auto_create, MetadataFile("config/subscriptionGroup.json", files, clock), clock),
        offsets(MetadataFile("config/consumerOffset.json", files, clock), clock) {}

  static BrokerIdentity Identity() {
    BrokerIdentity identity;
    identity.name = "broker-a";
    identity.store_host = Host::Parse("127.0.0.1:10911").value();
    return identity;
  }

  void AddTopic(const std::string& name, std::int32_t queues, std::int32_t perm = 6) {
    topics.FindOrCreate(name, queues, perm, 0);
  }

  ManualClock clock;
  MemoryFileSystem files;
  SeededRandom random{1};
  BrokerIdentity identity = Identity();
  TopicTable topics;
  GroupTable groups;
  ConsumerOffsets offsets;
  QueueLocks locks{clock};
  ConsumerGroups online{clock, true};
  MemoryStore store{clock};
};

}  // namespace apogee
