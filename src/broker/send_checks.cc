#include "broker/send_checks.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "broker/remarks.h"
#include "message/names.h"

namespace apogee {
namespace {

std::unexpected<Refusal> Refuse(SendStatus status, std::string remark) {
  return std::unexpected(Refusal{status, std::move(remark)});
}

std::int32_t UnitFlags(const SendRequest& request) {
  if (!request.unit_mode) return 0;
  return IsRetryTopic(request.topic) ? kTopicSysFlagUnitSub : kTopicSysFlagUnit;
}

}  // namespace

std::string AddressOf(const BrokerIdentity& identity) {
  std::string address = identity.store_host.ToString();
  address.resize(std::min(address.size(), address.rfind(':')));
  return address;
}

SendChecks::SendChecks(const SendOptions& options, const BrokerIdentity& identity,
                       TopicTable& topics, GroupTable& groups, const QueueLocks& locks,
                       Clock& clock, Random& random)
    : options_(options),
      identity_(identity),
      topics_(topics),
      groups_(groups),
      locks_(locks),
      clock_(clock),
      random_(random) {}

std::expected<SendTarget, Refusal> SendChecks::FindTarget(const SendRequest& request) {
  if (options_.accept_from_ms > 0 && clock_.WallMs() < options_.accept_from_ms) {
    return Refuse(SendStatus::kFailed,
                  fmt::format("broker unable to service, until {} ms", options_.accept_from_ms));
  }
  if (!request.batch && request.body.empty()) {
    return Refuse(SendStatus::kFailed, "the message has no body");
  }
  std::expected<TopicPtr, Refusal> topic = FindTopic(request);
  if (!topic) return std::unexpected(std::move(topic).error());

  const TopicConfig& config = **topic;
  const std::int32_t queues = std::max(config.read_queues, config.write_queues);
  const bool none_to_pick = request.queue_id < 0 && config.write_queues <= 0;
  if (request.queue_id >= queues || none_to_pick) {
    return Refuse(SendStatus::kInvalid,
                  fmt::format("request queueId[{}] is illegal, {} Producer: {}", request.queue_id,
                              config.ToString(), request.client_address));
  }
  SendTarget target{std::move(*topic), request.queue_id, false};
  if (target.queue_id < 0) target.queue_id = RandomQueue(*target.topic);
  if (IsRetryTopic(request.topic) && !request.batch) {
    return DivertRetry(request, std::move(target));
  }
  return target;
}

std::expected<TopicPtr, Refusal> SendChecks::FindTopic(const SendRequest& request) {
  TopicPtr topic = topics_.Find(request.topic);
  const bool broker_writable = (options_.broker_perm & kPermWrite) != 0;
  if (!broker_writable && topic && topic->order) {
    return Refuse(SendStatus::kForbidden,
                  fmt::format("the broker[{}] sending message is forbidden", AddressOf(identity_)));
  }
  // A name that has a topic has passed the first check once; the second must be asked always.
  if (!topic) {
    if (Status valid = CheckTopicName(request.topic); !valid.ok()) {
      return Refuse(SendStatus::kInvalid, valid.error().message());
    }
  }
  if (IsSendForbidden(request.topic)) {
    return Refuse(SendStatus::kForbidden,
                  fmt::format("Sending message to topic[{}] is forbidden.", request.topic));
  }
  if (topic) return topic;

  topic = topics_.FindOrInherit(request.topic, request.default_topic, request.default_queues,
                                UnitFlags(request));
  if (!topic && IsRetryTopic(request.topic)) {
    topic = topics_.FindOrCreate(request.topic, 1, kPermRead | kPermWrite, UnitFlags(request));
  }
  if (!topic) {
    return Refuse(
        SendStatus::kTopicMissing,
        fmt::format("topic[{}] not exist, apply first please!{}", request.topic, kSeeFaq));
  }
  return topic;
}

std::expected<SendTarget, Refusal> SendChecks::DivertRetry(const SendRequest& request,
                                                           SendTarget target) {
  const std::string_view name = request.topic.substr(kRetryPrefix.size());
  const GroupPtr group = groups_.FindOrCreate(name);
  if (!group) {
    return Refuse(SendStatus::kGroupMissing,
                  fmt::format("subscription group not exist, {} {}", name, kSeeFaq));
  }
  const std::int32_t limit =
      request.max_reconsume_times >= 0 ? request.max_reconsume_times : group->retry_max_times;
  if (request.reconsume_times <= limit && !locks_.AnyHeld(name)) return target;

  const std::string dead_letters = std::string(kDlqPrefix).append(name);
  target.topic = topics_.FindOrCreate(dead_letters, 1, kPermRead | kPermWrite, 0);
  if (!target.topic || target.topic->write_queues <= 0) {
    return Refuse(SendStatus::kFailed, fmt::format("topic[{}] has no queue", dead_letters));
  }
  target.queue_id = RandomQueue(*target.topic);
  target.dead_letter = true;
  return target;
}

std::int32_t SendChecks::RandomQueue(const TopicConfig& topic) {
  return static_cast<std::int32_t>(
      random_.Below(static_cast<std::uint64_t>(std::max(1, topic.write_queues))));
}

}  // namespace apogee
