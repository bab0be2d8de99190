// Locking the queues of an orderly consumer: bodies of LOCK_BATCH_MQ and UNLOCK_BATCH_MQ (remoting
// reference §4.5).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "protocol/message_queue.h"

namespace apogee {

struct LockBatchRequest {
  std::string client_id;
  std::string consumer_group;
  std::vector<MessageQueue> queues;
  bool only_this_broker = false;

  // kInvalidArgument names what is missing: the body, clientId, consumerGroup.
  static Result<LockBatchRequest> Parse(std::string_view body);
  std::string Encode() const;
};

// {"lockOKMQSet":[…]}: the queues that the client owns now.
std::string EncodeLockBatchResponse(const std::vector<MessageQueue>& locked);
Result<std::vector<MessageQueue>> ParseLockBatchResponse(std::string_view body);

}  // namespace apogee
