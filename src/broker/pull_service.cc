#include "broker/pull_service.h"

#include <fmt/core.h>

#include <utility>

#include "broker/remarks.h"
#include "broker/send_checks.h"
#include "message/sys_flag.h"

namespace apogee {
namespace {

// forbiddenType of refusals: who forbids.
constexpr std::int32_t kByBroker = 1;
constexpr std::int32_t kByGroup = 2;
constexpr std::int32_t kByTopic = 3;
constexpr std::int32_t kByBroadcast = 4;
constexpr std::int32_t kByGroupForTopic = 5;

// The bit of forbiddenTable's numbers that takes reading away (Apache's INDEX_PERM_READ, 2).
constexpr std::int64_t kForbiddenRead = 1 << 2;

PullOutcome Refuse(PullStatus status, std::string remark, std::int32_t forbidden_type = 0) {
  PullOutcome outcome;
  outcome.status = status;
  outcome.remark = std::move(remark);
  outcome.forbidden_type = forbidden_type;
  return outcome;
}

std::set<std::string, std::less<>> ForbiddenPairs(const Json& table) {
  std::set<std::string, std::less<>> pairs;
  for (const auto& [group, topics] : table.object()) {
    for (const auto& [topic, bits] : topics.object()) {
      if ((bits.ToInt() & kForbiddenRead) != 0) pairs.insert(group + "@" + topic);
    }
  }
  return pairs;
}

struct Translated {
  PullStatus status;
  std::string_view name;
};

Translated Translate(ReadState state, std::int64_t asked) {
  switch (state) {
    case ReadState::kFound:
      return {PullStatus::kFound, "FOUND"};
    case ReadState::kNoMatch:
      return {PullStatus::kRetryAtOnce, "NO_MATCHED_MESSAGE"};
    case ReadState::kRemoved:
      return {PullStatus::kRetryAtOnce, "MESSAGE_WAS_REMOVING"};
    case ReadState::kQueueEmpty:
      return {asked == 0 ? PullStatus::kNothingNew : PullStatus::kOffsetMoved,
              "NO_MESSAGE_IN_QUEUE"};
    case ReadState::kTooSmall:
      return {PullStatus::kOffsetMoved, "OFFSET_TOO_SMALL"};
    case ReadState::kAtEnd:
      return {PullStatus::kNothingNew, "OFFSET_OVERFLOW_ONE"};
    case ReadState::kBehindEnd:
      return {PullStatus::kOffsetMoved, "OFFSET_OVERFLOW_BADLY"};
    case ReadState::kEntryMissing:
      return {PullStatus::kNothingNew, "OFFSET_FOUND_NULL"};
  }
  return {PullStatus::kFailed, ""};
}

}  // namespace

PullService::PullService(const PullOptions& options, const BrokerIdentity& identity,
                         TopicTable& topics, GroupTable& groups, const ConsumerGroups& consumers,
                         ConsumerOffsets& offsets, const MessageStore& store, Clock& clock,
                         BrokerStats* stats)
    : options_(options),
      identity_(identity),
      topics_(topics),
      groups_(groups),
      consumers_(consumers),
      offsets_(offsets),
      reader_(store, clock),
      stats_(stats),
      forbidden_(ForbiddenPairs(groups.Forbidden())) {}

PullOutcome PullService::Pull(const PullRequest& request, Pass pass,
                              std::shared_ptr<const Subscription>* filter_by) {
  // The broker's own permissions come first: a refused pull creates no group.
  if ((options_.broker_perm & kPermRead) == 0) {
    return Refuse(PullStatus::kForbidden,
                  fmt::format("the broker[{}] pulling message is forbidden", AddressOf(identity_)),
                  kByBroker);
  }
  if (request.lite && !options_.lite_pull) {
    return Refuse(
        PullStatus::kForbidden,
        fmt::format("the broker[{}] for lite pull consumer is forbidden", AddressOf(identity_)),
        kByBroker);
  }
  const GroupPtr group = groups_.FindOrCreate(request.group);
  const TopicPtr topic = topics_.Find(request.topic);
  if (auto no = CheckAccess(request, group, topic)) return *std::move(no);
  std::shared_ptr<const Subscription> filter;
  if (auto no = FindFilter(request, *group, &filter)) return *std::move(no);

  const bool commits = (request.sys_flag & kPullFlagCommitOffset) != 0;
  if (pass == Pass::kFirst && commits && request.commit_offset >= 0) {
    offsets_.Commit(request.group, request.topic, request.queue_id, request.commit_offset);
  }
  PullOutcome outcome = Read(request, filter.get());
  outcome.topic_sys_flag = topic->sys_flag;
  outcome.group_sys_flag = group->sys_flag;
  if (filter_by != nullptr) *filter_by = std::move(filter);
  return outcome;
}

std::optional<PullOutcome> PullService::CheckAccess(const PullRequest& request,
                                                    const GroupPtr& group,
                                                    const TopicPtr& topic) const {
  if (!group) {
    return Refuse(
        PullStatus::kGroupMissing,
        fmt::format("subscription group [{}] does not exist, {}", request.group, kSeeFaq));
  }
  if (!group->consume_enable) {
    return Refuse(PullStatus::kForbidden,
                  fmt::format("subscription group no permission, {}", request.group), kByGroup);
  }
  if (!topic) {
    return Refuse(
        PullStatus::kTopicMissing,
        fmt::format("topic[{}] not exist, apply first please! {}", request.topic, kSeeFaq));
  }
  if (!topic->readable()) {
    return Refuse(PullStatus::kForbidden,
                  fmt::format("the topic[{}] pulling message is forbidden", request.topic),
                  kByTopic);
  }
  if (request.queue_id < 0 || request.queue_id >= topic->read_queues) {
    return Refuse(
        PullStatus::kInvalid,
        fmt::format("queueId[{}] is illegal, topic:[{}] topicConfig.readQueueNums:[{}] "
                    "consumer:[/{}]",
                    request.queue_id, request.topic, topic->read_queues, request.client_address));
  }
  return std::nullopt;
}

std::optional<std::string> PullService::UnsupportedFilter(std::string_view expression_type) {
  if (expression_type.empty() || expression_type == kExpressionTag) return std::nullopt;
  return fmt::format("The broker does not support consumer to filter message by {}",
                     expression_type);
}

std::optional<PullOutcome> PullService::FindFilter(
    const PullRequest& request, const GroupConfig& group,
    std::shared_ptr<const Subscription>* filter) const {
  if ((request.sys_flag & kPullFlagSubscription) != 0) return FilterOfRequest(request, filter);

  ConsumerGroups::Subscribed found =
      consumers_.FindSubscription(request.group, request.topic, request.client);
  if (!found.group_online) {
    return Refuse(PullStatus::kNotSubscribed,
                  fmt::format("the consumer's group info not exist{}", kSeeFaq));
  }
  if (found.model == MessageModel::kBroadcasting && !group.consume_broadcast_enable) {
    return Refuse(
        PullStatus::kForbidden,
        fmt::format("the consumer group[{}] can not consume by broadcast way", request.group),
        kByBroadcast);
  }
  if (!forbidden_.empty() &&
      forbidden_.contains(fmt::format("{}@{}", request.group, request.topic))) {
    return Refuse(PullStatus::kForbidden,
                  fmt::format("the consumer group[{}] is forbidden for topic[{}]", request.group,
                              request.topic),
                  kByGroupForTopic);
  }
  if (!found.subscription) {
    return Refuse(PullStatus::kNotSubscribed,
                  fmt::format("the consumer's subscription not exist{}", kSeeFaq));
  }
  if (auto unsupported = UnsupportedFilter(found.subscription->expression_type)) {
    return Refuse(PullStatus::kUnsupported, *std::move(unsupported));
  }
  // The client's subscription has moved on and its heartbeat is still to come (Apache refuses with
  // 25 until then, up to 30 s). When it still says the same, our filter is right; otherwise
  // everything is served: the client compares tags itself, so that it loses nothing.
  const bool outdated = found.subscription->version < request.subscription_version &&
                        found.subscription->expression != request.expression;
  if (!outdated && !found.subscription->matches_all()) *filter = std::move(found.subscription);
  return std::nullopt;
}

std::optional<PullOutcome> PullService::FilterOfRequest(
    const PullRequest& request, std::shared_ptr<const Subscription>* filter) const {
  if (auto unsupported = UnsupportedFilter(request.expression_type)) {
    return Refuse(PullStatus::kUnsupported, *std::move(unsupported));
  }
  if (request.expression.empty() || request.expression == kSubscribeAll) return std::nullopt;
  Result<Subscription> subscription =
      Subscription::FromExpression(request.topic, request.expression, request.expression_type);
  if (!subscription.ok()) {
    return Refuse(PullStatus::kBadExpression,
                  fmt::format("parse the consumer's subscription failed: {}",
                              subscription.error().message()));
  }
  if (!subscription->matches_all()) {
    *filter = std::make_shared<const Subscription>(*std::move(subscription));
  }
  return std::nullopt;
}

PullOutcome PullService::Read(const PullRequest& request, const Subscription* filter) const {
  Result<QueueRead> read = reader_.Read(
      QueueRef(request.topic, request.queue_id), request.offset, request.max_messages,
      request.max_bytes, filter == nullptr ? TagFilter() : TagFilter(*filter), options_.limits);
  if (!read.ok()) return Refuse(PullStatus::kFailed, read.error().ToString());

  if (stats_ != nullptr) stats_->Got(static_cast<std::int64_t>(read->records.size()));
  const Translated translated = Translate(read->state, request.offset);
  PullOutcome outcome;
  outcome.status = translated.status;
  outcome.remark = translated.name;
  outcome.next_offset = read->next;
  outcome.min_offset = read->min;
  outcome.max_offset = read->max;
  outcome.records = std::move(read->records);
  return outcome;
}

}  // namespace apogee
