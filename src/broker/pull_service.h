// Handing messages to consumers: the checks of a pull in RocketMQ's order, its subscription, what
// the queue has, and what the client is told to do next.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "broker/broker_stats.h"
#include "broker/consumer_groups.h"
#include "broker/consumer_offsets.h"
#include "broker/group_table.h"
#include "broker/identity.h"
#include "broker/pull_request.h"
#include "broker/queue_reader.h"
#include "broker/topic_table.h"
#include "message/topic_config.h"

namespace apogee {

struct PullOptions {
  std::int32_t broker_perm = kPermRead | kPermWrite;  // brokerPermission
  bool lite_pull = true;                              // litePullMessageEnable
  ReadLimits limits;
};

// Threads: any; runs inline. Everything given must outlive the service.
class PullService {
 public:
  PullService(const PullOptions& options, const BrokerIdentity& identity, TopicTable& topics,
              GroupTable& groups, const ConsumerGroups& consumers, ConsumerOffsets& offsets,
              const MessageStore& store, Clock& clock, BrokerStats* stats = nullptr);

  // kFirst commits the offset that the request carries, kAgain (a pull that was held) does not.
  enum class Pass { kFirst, kAgain };
  // `filter_by`, when given, receives the subscription the pull was filtered by; nullptr: all tags.
  PullOutcome Pull(const PullRequest& request, Pass pass,
                   std::shared_ptr<const Subscription>* filter_by = nullptr);

  // "The broker does not support consumer to filter message by SQL92", or nullopt when the type is
  // served (also code 46).
  static std::optional<std::string> UnsupportedFilter(std::string_view expression_type);

 private:
  // The checks up to the queue number; an outcome when one fails.
  std::optional<PullOutcome> CheckAccess(const PullRequest& request, const GroupPtr& group,
                                         const TopicPtr& topic) const;
  // Sets `*filter` (nullptr: all tags), or gives the outcome that refuses.
  std::optional<PullOutcome> FindFilter(const PullRequest& request, const GroupConfig& group,
                                        std::shared_ptr<const Subscription>* filter) const;
  std::optional<PullOutcome> FilterOfRequest(const PullRequest& request,
                                             std::shared_ptr<const Subscription>* filter) const;
  PullOutcome Read(const PullRequest& request, const Subscription* filter) const;

  const PullOptions options_;
  const BrokerIdentity& identity_;
  TopicTable& topics_;
  GroupTable& groups_;
  const ConsumerGroups& consumers_;
  ConsumerOffsets& offsets_;
  QueueReader reader_;
  BrokerStats* const stats_;
  // "group@topic" pairs that may not read (code 353 of Apache's brokers), as the file had them at
  // start; nothing here changes them.
  const std::set<std::string, std::less<>> forbidden_;
};

}  // namespace apogee
