#include "broker/send_service.h"

#include <fmt/core.h>

#include <utility>
#include <vector>

#include "message/batch.h"
#include "message/properties.h"
#include "message/sys_flag.h"

namespace apogee {
namespace {

SendOutcome Refused(Refusal refusal) {
  SendOutcome outcome;
  outcome.status = refusal.status;
  outcome.remark = std::move(refusal.remark);
  return outcome;
}

SendOutcome Illegal(std::string remark) {
  return Refused({SendStatus::kIllegalMessage, std::move(remark)});
}

// The log's refusal in the words that clients know, with its one true reason behind them.
SendOutcome NotAppended(const Error& error, const std::string& illegal_text) {
  switch (error.code()) {
    case ErrorCode::kInvalidArgument:
      return Illegal(fmt::format("{} {}", illegal_text, error.message()));
    case ErrorCode::kDiskFull:
    case ErrorCode::kIo:
    case ErrorCode::kUnavailable:
      return Refused({SendStatus::kUnavailable,
                      fmt::format("service not available now. {}", error.message())});
    default:
      return Refused({SendStatus::kFailed, error.ToString()});
  }
}

}  // namespace

SendService::SendService(const SendOptions& options, const BrokerIdentity& identity,
                         TopicTable& topics, GroupTable& groups, const QueueLocks& locks,
                         MessageLog& log, UniqueKeyMaker& unique_keys, Clock& clock, Random& random,
                         BrokerStats* stats)
    : options_(options),
      identity_(identity),
      checks_(options, identity, topics, groups, locks, clock, random),
      log_(log),
      unique_keys_(unique_keys),
      clock_(clock),
      stats_(stats),
      added_properties_([&] {
        std::string added;
        AppendProperty(added, property::kMsgRegion, identity.region);
        AppendProperty(added, property::kTraceOn, identity.trace_on ? "true" : "false");
        AppendProperty(added, property::kCluster, identity.cluster);
        return added;
      }()) {}

SendOutcome SendService::Send(const SendRequest& request) {
  std::expected<SendTarget, Refusal> target = checks_.FindTarget(request);
  if (!target) return Refused(std::move(target).error());
  return request.batch ? SendBatch(request, *target) : SendOne(request, *target);
}

SendOutcome SendService::SendOne(const SendRequest& request, const SendTarget& target) {
  SendProperties properties = WalkProperties(request.properties);
  if (auto no = CheckTopic(properties, request.sys_flag, *target.topic)) {
    return Refused(*std::move(no));
  }

  // The sender's string as it came and ours behind it; copied only when something has to go.
  RecordFields record = FieldsOf(request, target);
  std::string clean;
  record.properties = request.properties;
  if (properties.unclean) {
    clean = CleanProperties(request.properties);
    record.properties = clean;
  }
  std::string added;
  std::string unique_key(properties.unique_key);
  record.more_properties = added_properties_;
  if (unique_key.empty() || target.dead_letter) {
    added = added_properties_;
    if (unique_key.empty()) {
      unique_key = unique_keys_.Make(clock_.WallMs());
      AppendProperty(added, property::kUniqKey, unique_key);
    }
    if (target.dead_letter) AppendProperty(added, property::kDelay, "-1");
    record.more_properties = added;
  }
  record.body = request.body;

  if (auto no =
          CheckSizes(record.body.size(), record.properties.size() + record.more_properties.size(),
                     record.more_properties.size())) {
    return Refused(*std::move(no));
  }
  if (target.dead_letter) properties.delay.reset();
  if (auto no = CheckDelivery(properties, request.sys_flag, request.reconsume_times)) {
    return Refused(*std::move(no));
  }
  SendOutcome outcome = Append({&record, 1}, target, properties.wait);
  outcome.unique_key = std::move(unique_key);
  return outcome;
}

SendOutcome SendService::SendBatch(const SendRequest& request, const SendTarget& target) {
  if (request.topic.size() > kTopicBytesMaxV1) {
    return Illegal(fmt::format("message topic length too long {}", request.topic.size()));
  }
  if (IsRetryTopic(request.topic)) {
    return Illegal(fmt::format("batch request does not support retry group {}", request.topic));
  }
  if (request.body.size() > static_cast<std::size_t>(options_.message_bytes_max)) {
    return Illegal(fmt::format("{} The batch has {} B.", IllegalText(), request.body.size()));
  }
  const Result<std::vector<BatchItem>> items = DecodeBatch(request.body);
  if (!items.ok()) {
    return Illegal(fmt::format("{} {}", IllegalText(), items.error().message()));
  }
  const SendProperties properties = WalkProperties(request.properties);
  if (auto no = CheckDelivery(properties, request.sys_flag, request.reconsume_times)) {
    return Refused(*std::move(no));
  }

  // Items keep their property strings byte for byte, as 5.5.0 stores them: nothing is added. Each
  // must pass what it would have to pass alone, or nothing of the batch is stored.
  std::vector<RecordFields> records(items->size(), FieldsOf(request, target));
  for (std::size_t i = 0; i < items->size(); ++i) {
    const BatchItem& item = (*items)[i];
    const SendProperties own = WalkProperties(item.properties);
    std::optional<Refusal> no = CheckTopic(own, request.sys_flag, *target.topic);
    if (!no) no = CheckSizes(item.body.size(), item.properties.size(), 0);
    if (!no) no = CheckDelivery(own, request.sys_flag, request.reconsume_times);
    if (no) {
      no->remark += fmt::format(" (message {} of {} in the batch)", i + 1, items->size());
      return Refused(*std::move(no));
    }
    records[i].flag = item.flag;
    records[i].body = item.body;
    records[i].properties = item.properties;
  }
  SendOutcome outcome = Append(records, target, properties.wait);
  outcome.unique_key = properties.unique_key;
  return outcome;
}

std::optional<Refusal> SendService::CheckTopic(const SendProperties& properties,
                                               std::int32_t sys_flag,
                                               const TopicConfig& topic) const {
  if (!topic.attributes.empty()) {
    const auto cleanup = topic.attributes.find("cleanup.policy");
    if (cleanup != topic.attributes.end() && cleanup->second == "COMPACTION" &&
        !properties.has_keys) {
      return Refusal{SendStatus::kIllegalMessage, "the required message key is missing"};
    }
    const auto queue_type = topic.attributes.find("queue.type");
    if (queue_type != topic.attributes.end() && queue_type->second == "BatchCQ") {
      return Refusal{SendStatus::kIllegalMessage,
                     fmt::format("topic[{}] has queue.type BatchCQ, which this version does not "
                                 "serve",
                                 topic.name)};
    }
  }
  if (properties.inner_batch || (sys_flag & kSysFlagInnerBatch) != 0) {
    return Refusal{
        SendStatus::kIllegalMessage,
        fmt::format("{} An inner batch needs a topic of queue.type BatchCQ.", IllegalText())};
  }
  return std::nullopt;
}

std::optional<Refusal> SendService::CheckDelivery(const SendProperties& properties,
                                                  std::int32_t sys_flag,
                                                  std::int32_t reconsume_times) const {
  switch (DeliveryOf(properties, sys_flag, reconsume_times, clock_.WallMs())) {
    case Delivery::kNow:
      return std::nullopt;
    case Delivery::kDelayIllegal:
      return Refusal{
          SendStatus::kFailed,
          fmt::format("property DELAY is no number: For input string: \"{}\"", *properties.delay)};
    case Delivery::kDelayed:
      return Refusal{SendStatus::kIllegalMessage,
                     fmt::format("delayed messages are not served by this version (DELAY {}); "
                                 "nothing was stored",
                                 *properties.delay)};
    case Delivery::kTimerIllegal:
      return Refusal{SendStatus::kIllegalMessage,
                     "timer message illegal, the delay time should not be bigger than the max "
                     "delay 259200000ms; or if set del msg, the delay time should be bigger than "
                     "the current time"};
    case Delivery::kTimer:
      return Refusal{SendStatus::kIllegalMessage,
                     "timer messages are not served by this version; nothing was stored"};
    case Delivery::kTransactional:
      return Refusal{SendStatus::kForbidden,
                     fmt::format("the broker[{}] sending transaction message is forbidden: "
                                 "transactions are not served by this version",
                                 AddressOf(identity_))};
  }
  return std::nullopt;
}

std::optional<Refusal> SendService::CheckSizes(std::size_t body, std::size_t properties,
                                               std::size_t added) const {
  if (properties > kPropertiesBytesMax) {
    return Refusal{SendStatus::kIllegalMessage,
                   fmt::format("{} The properties have {} B, {} B of them added by the broker.",
                               IllegalText(), properties, added)};
  }
  if (body > static_cast<std::size_t>(options_.message_bytes_max)) {
    return Refusal{SendStatus::kIllegalMessage, IllegalText()};
  }
  return std::nullopt;
}

RecordFields SendService::FieldsOf(const SendRequest& request, const SendTarget& target) const {
  RecordFields record;
  record.topic = target.topic->name;
  record.queue_id = target.queue_id;
  record.flag = request.flag;
  record.sys_flag = request.sys_flag & ~(kSysFlagBornHostV6 | kSysFlagStoreHostV6);
  if (target.topic->multi_tag) record.sys_flag |= kSysFlagMultiTags;
  record.born_time_ms = request.born_time_ms;
  record.born_host = request.born_host;
  record.store_host = identity_.store_host;
  record.reconsume_times = request.reconsume_times;
  return record;
}

SendOutcome SendService::Append(std::span<const RecordFields> records, const SendTarget& target,
                                bool wait) {
  const Result<Appended> appended = log_.Append(records);
  if (!appended.ok()) {
    if (stats_ != nullptr) stats_->PutFailed();
    return NotAppended(appended.error(), IllegalText());
  }
  if (stats_ != nullptr) {
    stats_->Put(static_cast<std::int64_t>(records.size()), appended->end - appended->log_offset);
  }

  SendOutcome outcome;
  outcome.message_ids = OffsetMessageId(identity_.store_host, appended->log_offset);
  for (const LogOffset& at : appended->more_offsets) {
    outcome.message_ids.append(",").append(OffsetMessageId(identity_.store_host, at));
  }
  outcome.queue_id = target.queue_id;
  outcome.queue_offset = appended->queue_offset.value();
  outcome.end = appended->end;
  outcome.store_time_ms = appended->store_time_ms;
  outcome.parked = wait && log_.flush_required();
  return outcome;
}

void SendService::AwaitDurable(SendOutcome outcome, Done done) {
  const LogOffset end = outcome.end;
  log_.AwaitFlushed(end, [outcome = std::move(outcome),
                          done = std::move(done)](Durability durability) mutable {
    outcome.parked = false;
    if (durability == Durability::kFlushTimeout) outcome.status = SendStatus::kFlushTimeout;
    if (durability == Durability::kFailed) {
      outcome = Refused({SendStatus::kUnavailable,
                         "service not available now. The disk failed while the message was made "
                         "durable; it may or may not survive"});
    }
    done(std::move(outcome));
  });
}

std::string SendService::IllegalText() const {
  return fmt::format(
      "the message is illegal, maybe msg body or properties length not matched. msg body length "
      "limit {}B, msg properties length limit 32KB.",
      options_.message_bytes_max);
}

}  // namespace apogee
