#include "server/broker_services.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "base/log.h"
#include "message/names.h"

namespace apogee {
namespace {

constexpr int kWorkThreads = 2;
constexpr std::size_t kWorkWaitingMax = 10'000;

MetadataFile ConfigFile(const BrokerOptions& options, const char* name, FileSystem& fs,
                        Clock& clock) {
  return MetadataFile(options.store.root + "/config/" + name, fs, clock);
}

SendOptions SendOptionsOf(const BrokerOptions& options) {
  return {.broker_perm = options.broker_permission,
          .message_bytes_max = options.store.message_bytes_max,
          .accept_from_ms = options.accept_sends_from_ms};
}

PullOptions PullOptionsOf(const BrokerOptions& options) {
  return {.broker_perm = options.broker_permission,
          .lite_pull = options.lite_pull_enable,
          .limits = {.messages_max = options.transfer_count_max,
                     .bytes_max = options.transfer_bytes_max,
                     .scan_bytes_max = options.filter_bytes_max}};
}

// A topic that a send created is written down moments after the send was answered; a kill in
// between must not leave its messages without a topic. Queues tell: as many as have messages, and
// at least what a client asks for. Messages older than the file are of a topic that was deleted,
// and stay without one.
constexpr std::int32_t kQueuesAtLeast = 4;

void RestoreTopics(const MessageStore& store, std::int32_t default_queues, TopicTable& topics) {
  const std::int64_t written_ms = topics.loaded_version().timestamp_ms;
  std::map<std::string, std::int32_t> queues_of;
  for (const QueueId& queue : store.Queues()) {
    if (topics.Find(queue.topic) != nullptr || !CheckTopicName(queue.topic).ok()) continue;
    const auto range = store.Range(queue);
    if (!range || range->max <= range->min ||
        store.StoreTimeAt(queue, range->max - 1) <= written_ms) {
      continue;
    }
    std::int32_t& queues = queues_of[queue.topic];
    queues = std::max(queues, queue.queue + 1);
  }
  for (const auto& [topic, queues] : queues_of) {
    const bool of_group = IsRetryTopic(topic) || IsDlqTopic(topic);
    const std::int32_t least = of_group ? 1 : std::min(kQueuesAtLeast, default_queues);
    topics.FindOrCreate(topic, std::max(queues, least), kPermRead | kPermWrite, 0);
    LogWarning("topic {} has messages but is not in topics.json: created again with {} queues",
               topic, std::max(queues, least));
  }
}

}  // namespace

BrokerServices::BrokerServices(const BrokerOptions& options, std::unique_ptr<MessageStore> opened,
                               FileSystem& fs, Clock& clock, Random& random, Workers& workers,
                               std::int32_t pid)
    : store(std::move(opened)),
      stats(clock),
      topics(options.topics, options.identity, ConfigFile(options, "topics.json", fs, clock),
             clock),
      groups(options.auto_create_groups, ConfigFile(options, "subscriptionGroup.json", fs, clock),
             clock),
      offsets(ConfigFile(options, "consumerOffset.json", fs, clock), clock),
      online(clock, options.notify_consumer_ids_changed),
      locks(clock),
      heartbeats(topics, groups, online),
      positions(offsets, topics, groups, *store),
      admin(topics, groups, offsets, locks, *store),
      query(*store),
      unique_keys(options.identity.store_host, pid, static_cast<std::uint32_t>(random.Next())),
      sends(SendOptionsOf(options), options.identity, topics, groups, locks, *store, unique_keys,
            clock, random, &stats),
      pulls(PullOptionsOf(options), options.identity, topics, groups, online, offsets, *store,
            clock, &stats),
      long_poll({.long_polling = options.long_polling_enable,
                 .short_polling_ms = options.short_polling.count()},
                *store, clock, workers),
      pool(workers, kWorkThreads, kWorkWaitingMax) {
  RestoreTopics(*store, options.topics.default_queues, topics);
  store->SetArrivalListener(&long_poll);
}

BrokerServices::~BrokerServices() {
  store->SetArrivalListener(nullptr);
}

Status BrokerServices::Persist() {
  const Status kept_topics = topics.Persist();
  const Status kept_groups = groups.Persist();
  const Status kept_offsets = offsets.Persist();
  AP_RETURN_IF_ERROR(kept_topics);
  AP_RETURN_IF_ERROR(kept_groups);
  return kept_offsets;
}

}  // namespace apogee
