// Whether a send may go where it wants to go, and where that is. In the order in which RocketMQ
// checks (remoting reference §2.4), with its texts.
#pragma once

#include <cstdint>
#include <expected>
#include <string>

#include "broker/group_table.h"
#include "broker/identity.h"
#include "broker/queue_locks.h"
#include "broker/send_request.h"
#include "broker/topic_table.h"
#include "env/clock.h"
#include "env/random.h"

namespace apogee {

struct SendTarget {
  TopicPtr topic;
  std::int32_t queue_id = 0;
  bool dead_letter = false;  // Diverted from a retry topic.
};

struct Refusal {
  SendStatus status = SendStatus::kFailed;
  std::string remark;
};

// Threads: any. Everything given must outlive the checks.
class SendChecks {
 public:
  SendChecks(const SendOptions& options, const BrokerIdentity& identity, TopicTable& topics,
             GroupTable& groups, const QueueLocks& locks, Clock& clock, Random& random);

  // Creates the topic when the rules of auto-creation allow it.
  std::expected<SendTarget, Refusal> FindTarget(const SendRequest& request);

 private:
  std::expected<TopicPtr, Refusal> FindTopic(const SendRequest& request);
  // To the dead letters with what was retried too often, and with retries of a group that consumes
  // in order: there they would overtake.
  std::expected<SendTarget, Refusal> DivertRetry(const SendRequest& request, SendTarget target);
  std::int32_t RandomQueue(const TopicConfig& topic);

  const SendOptions options_;
  const BrokerIdentity& identity_;
  TopicTable& topics_;
  GroupTable& groups_;
  const QueueLocks& locks_;
  Clock& clock_;
  Random& random_;
};

// The broker's own address as remarks name it: "127.0.0.1", without the port.
std::string AddressOf(const BrokerIdentity& identity);

}  // namespace apogee
