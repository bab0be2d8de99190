// A broker's tables and services, wired. No sockets: what the simulator and the front doors share.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "broker/broker_stats.h"
#include "broker/consumer_groups.h"
#include "broker/consumer_offsets.h"
#include "broker/consumer_positions.h"
#include "broker/group_table.h"
#include "broker/heartbeats.h"
#include "broker/long_poll.h"
#include "broker/pull_service.h"
#include "broker/queue_locks.h"
#include "broker/queue_query.h"
#include "broker/send_service.h"
#include "broker/topic_admin.h"
#include "broker/topic_table.h"
#include "broker/work_pool.h"
#include "env/random.h"
#include "message/message_id.h"
#include "server/broker_options.h"
#include "store/message_store.h"

namespace apogee {

// Members in the order in which they are made; each uses only what stands above it.
struct BrokerServices {
  // `options`, with the final identity, and the environment must outlive the services. Opens
  // nothing: `store` is open.
  BrokerServices(const BrokerOptions& options, std::unique_ptr<MessageStore> opened, FileSystem& fs,
                 Clock& clock, Random& random, Workers& workers, std::int32_t pid);
  ~BrokerServices();

  // Writes topics, groups and positions; reports the first error after trying all.
  Status Persist();

  const std::unique_ptr<MessageStore> store;
  BrokerStats stats;
  TopicTable topics;
  GroupTable groups;
  ConsumerOffsets offsets;
  ConsumerGroups online;
  QueueLocks locks;
  Heartbeats heartbeats;
  ConsumerPositions positions;
  TopicAdmin admin;
  QueueQuery query;
  UniqueKeyMaker unique_keys;
  SendService sends;
  PullService pulls;
  LongPoll long_poll;
  WorkPool pool;
};

}  // namespace apogee
