// Taking messages from producers: checks, where each goes, what is stored, and what is answered.
//
// A send runs on its caller's thread from the checks to the append and never waits. What has to be
// durable before it is answered comes back `parked`: the caller keeps the outcome and what it needs
// for the answer, and hears from AwaitDurable.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/ids.h"
#include "broker/broker_stats.h"
#include "broker/identity.h"
#include "broker/send_checks.h"
#include "broker/send_properties.h"
#include "broker/send_request.h"
#include "env/clock.h"
#include "env/random.h"
#include "message/message_id.h"
#include "store/message_log.h"

namespace apogee {

struct SendOutcome {
  SendStatus status = SendStatus::kOk;
  std::string remark;
  // For what was stored:
  std::string message_ids;  // Offset id; of a batch all, separated by commas.
  std::int32_t queue_id = 0;
  std::int64_t queue_offset = 0;   // Of the first message.
  std::string unique_key;          // Empty when a batch brought none.
  bool parked = false;             // Not to be answered before AwaitDurable says so.
  LogOffset end;                   // Where the last record ends.
  std::int64_t store_time_ms = 0;  //
};

// Threads: any. Everything given must outlive the service.
class SendService {
 public:
  SendService(const SendOptions& options, const BrokerIdentity& identity, TopicTable& topics,
              GroupTable& groups, const QueueLocks& locks, MessageLog& log,
              UniqueKeyMaker& unique_keys, Clock& clock, Random& random,
              BrokerStats* stats = nullptr);

  // Views in `request` are not kept.
  SendOutcome Send(const SendRequest& request);

  // Calls `done` once with the outcome's final status: inline, or on a background worker. Only for
  // a parked outcome.
  using Done = std::move_only_function<void(SendOutcome)>;
  void AwaitDurable(SendOutcome outcome, Done done);

 private:
  SendOutcome SendOne(const SendRequest& request, const SendTarget& target);
  SendOutcome SendBatch(const SendRequest& request, const SendTarget& target);
  // What the message asks for that cannot be done; nullopt when nothing.
  std::optional<Refusal> CheckDelivery(const SendProperties& properties, std::int32_t sys_flag,
                                       std::int32_t reconsume_times) const;
  std::optional<Refusal> CheckTopic(const SendProperties& properties, std::int32_t sys_flag,
                                    const TopicConfig& topic) const;
  // `added`: how much of `properties` is the broker's.
  std::optional<Refusal> CheckSizes(std::size_t body, std::size_t properties,
                                    std::size_t added) const;
  RecordFields FieldsOf(const SendRequest& request, const SendTarget& target) const;
  SendOutcome Append(std::span<const RecordFields> records, const SendTarget& target, bool wait);
  std::string IllegalText() const;

  const SendOptions options_;
  const BrokerIdentity& identity_;
  SendChecks checks_;
  MessageLog& log_;
  UniqueKeyMaker& unique_keys_;
  Clock& clock_;
  BrokerStats* const stats_;
  const std::string added_properties_;  // MSG_REGION, TRACE_ON and CLUSTER, encoded.
};

}  // namespace apogee
