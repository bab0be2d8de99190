#include "broker/heartbeats.h"

#include "message/names.h"

namespace apogee {

Heartbeats::Heartbeats(TopicTable& topics, GroupTable& groups, ConsumerGroups& online)
    : topics_(topics), groups_(groups), online_(online) {}

bool Heartbeats::OnHeartbeat(const ClientHeartbeat& heartbeat,
                             const std::shared_ptr<ClientHandle>& client) {
  bool known = true;
  for (const ConsumerHeartbeat& consumer : heartbeat.consumers) {
    const GroupPtr group = groups_.FindOrCreate(consumer.group);
    if (group == nullptr) continue;
    if (heartbeat.without_subscriptions) {
      known &= online_.Refresh(consumer, heartbeat.client_id, client,
                               group->notify_consumer_ids_changed);
      continue;
    }
    if (group->retry_queues > 0) {
      topics_.FindOrCreate(RetryTopicOf(consumer.group), group->retry_queues,
                           kPermRead | kPermWrite, consumer.unit_mode ? kTopicSysFlagUnitSub : 0);
    }
    online_.Register(consumer, heartbeat.client_id, client, group->notify_consumer_ids_changed);
  }
  for (const std::string& group : heartbeat.producer_groups) {
    online_.RegisterProducer(group, heartbeat.client_id, client);
  }
  return known;
}

void Heartbeats::OnUnregister(std::string_view client_id, std::string_view producer_group,
                              std::string_view consumer_group, const ClientHandle& client) {
  if (!producer_group.empty()) online_.UnregisterProducer(producer_group, client);
  if (!consumer_group.empty()) online_.Unregister(consumer_group, client_id, client);
}

void Heartbeats::OnClosed(const ClientHandle& client) {
  online_.OnClientClosed(client);
}

}  // namespace apogee
