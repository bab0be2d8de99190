#include "protocol/pull_header.h"

#include <array>
#include <bit>

#include "protocol/field_number.h"

namespace apogee {
namespace {

enum Name : unsigned {
  kConsumerGroup,
  kTopic,
  kQueueId,
  kQueueOffset,
  kMaxMsgNums,
  kSysFlag,
  kCommitOffset,
  kSuspendTimeout,
  kSubscription,
  kSubVersion,
  kExpressionType,
  kMaxMsgBytes,
  kUnknown,
};
constexpr auto kNames = std::to_array<std::string_view>({
    "consumerGroup",
    "topic",
    "queueId",
    "queueOffset",
    "maxMsgNums",
    "sysFlag",
    "commitOffset",
    "suspendTimeoutMillis",
    "subscription",
    "subVersion",
    "expressionType",
    "maxMsgBytes",
});
static_assert(kNames.size() == kUnknown);
// The first six: Apache fails without them; a pull that lacks others is served.
constexpr unsigned kRequired = (1U << (kSysFlag + 1)) - 1;

// Names of equal length differ in their first two letters, so one comparison decides.
Name NameOf(std::string_view name) {
  const auto either = [name](Name a, Name b) {
    return name == kNames[a] ? a : name == kNames[b] ? b : kUnknown;
  };
  const auto only = [name](Name a) { return name == kNames[a] ? a : kUnknown; };
  switch (name.size()) {
    case 5:
      return only(kTopic);
    case 7:
      return either(kQueueId, kSysFlag);
    case 10:
      return either(kMaxMsgNums, kSubVersion);
    case 11:
      return either(kQueueOffset, kMaxMsgBytes);
    case 12:
      return either(kCommitOffset, kSubscription);
    case 13:
      return only(kConsumerGroup);
    case 14:
      return only(kExpressionType);
    case 20:
      return only(kSuspendTimeout);
    default:
      return kUnknown;
  }
}

}  // namespace

Result<PullHeader> PullHeader::FromFields(const Fields& fields) {
  PullHeader header;
  unsigned seen = 0;
  for (const auto& [text, value] : fields) {
    const Name name = NameOf(text);
    bool good = true;
    switch (name) {
      case kConsumerGroup:
        header.consumer_group = value;
        break;
      case kTopic:
        header.topic = value;
        break;
      case kQueueId:
        good = ReadFieldNumber(value, &header.queue_id);
        break;
      case kQueueOffset:
        good = ReadFieldNumber(value, &header.queue_offset);
        break;
      case kMaxMsgNums:
        good = ReadFieldNumber(value, &header.max_msg_nums);
        break;
      case kSysFlag:
        good = ReadFieldNumber(value, &header.sys_flag);
        break;
      case kCommitOffset:
        good = ReadFieldNumber(value, &header.commit_offset);
        break;
      case kSuspendTimeout:
        good = ReadFieldNumber(value, &header.suspend_timeout_ms);
        break;
      case kSubscription:
        header.subscription = value;
        break;
      case kSubVersion:
        good = ReadFieldNumber(value, &header.sub_version);
        break;
      case kExpressionType:
        header.expression_type = value;
        break;
      case kMaxMsgBytes:
        good = ReadFieldNumber(value, &header.max_msg_bytes.emplace());
        break;
      case kUnknown:
        continue;
    }
    if (!good) return BadFieldNumber(text, value);
    seen |= 1U << name;
  }
  if (const unsigned missing = kRequired & ~seen; missing != 0) [[unlikely]] {
    return MissingField(kNames[static_cast<std::size_t>(std::countr_zero(missing))]);
  }
  return header;
}

void PullHeader::AddTo(Fields* fields) const {
  fields->AddView(kNames[kConsumerGroup], consumer_group);
  fields->AddView(kNames[kTopic], topic);
  fields->AddInt(kNames[kQueueId], queue_id);
  fields->AddInt(kNames[kQueueOffset], queue_offset);
  fields->AddInt(kNames[kMaxMsgNums], max_msg_nums);
  fields->AddInt(kNames[kSysFlag], sys_flag);
  fields->AddInt(kNames[kCommitOffset], commit_offset);
  fields->AddInt(kNames[kSuspendTimeout], suspend_timeout_ms);
  if (subscription.data() != nullptr) fields->AddView(kNames[kSubscription], subscription);
  fields->AddInt(kNames[kSubVersion], sub_version);
  if (!expression_type.empty()) fields->AddView(kNames[kExpressionType], expression_type);
  if (max_msg_bytes) fields->AddInt(kNames[kMaxMsgBytes], *max_msg_bytes);
}

void PullResponseHeader::AddTo(Fields* fields) const {
  fields->AddInt("suggestWhichBrokerId", suggest_which_broker_id);
  fields->AddInt("nextBeginOffset", next_begin_offset);
  fields->AddInt("minOffset", min_offset);
  fields->AddInt("maxOffset", max_offset);
  fields->AddInt("topicSysFlag", topic_sys_flag);
  fields->AddInt("groupSysFlag", group_sys_flag);
}

PullResponseHeader PullResponseHeader::FromFields(const Fields& fields) {
  return {.suggest_which_broker_id = fields.Int("suggestWhichBrokerId", 0),
          .next_begin_offset = fields.Int("nextBeginOffset", 0),
          .min_offset = fields.Int("minOffset", 0),
          .max_offset = fields.Int("maxOffset", 0),
          .topic_sys_flag = static_cast<std::int32_t>(fields.Int("topicSysFlag", 0)),
          .group_sys_flag = static_cast<std::int32_t>(fields.Int("groupSysFlag", 0))};
}

}  // namespace apogee
