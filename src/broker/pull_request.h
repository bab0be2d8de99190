// One pull as a front door hands it in, and what is answered.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "store/message_store.h"

namespace apogee {

// Views live until the call they are given to returns.
struct PullRequest {
  std::string_view group;
  std::string_view topic;
  std::int32_t queue_id = 0;
  std::int64_t offset = 0;
  std::int32_t max_messages = 0;
  std::int32_t max_bytes = 0;  // 0: the broker's limit alone.
  std::int32_t sys_flag = 0;   // kPullFlag…
  std::int64_t commit_offset = 0;
  std::int64_t suspend_ms = 0;
  std::string_view expression;  // Counts when sys_flag says so.
  std::string_view expression_type;
  std::int64_t subscription_version = 0;
  bool lite = false;  // LITE_PULL_MESSAGE
  std::uint64_t client = 0;
  std::string_view client_address;
};

enum class PullStatus {
  kFound,
  kNothingNew,     // Nothing at the offset yet.
  kRetryAtOnce,    // Nothing of what was looked at fits; go on at next_offset.
  kOffsetMoved,    // The offset is not in the queue; next_offset is.
  kForbidden,      //
  kGroupMissing,   //
  kTopicMissing,   //
  kInvalid,        // Queue number.
  kBadExpression,  //
  kNotSubscribed,  // The group is not online or does not subscribe the topic.
  kUnsupported,    // A filter that is not served.
  kBusy,           // A bound was met.
  kFailed,         //
};

struct PullOutcome {
  PullStatus status = PullStatus::kFailed;
  std::string remark;               // For the first four: RocketMQ's name of the state.
  std::int32_t forbidden_type = 0;  // With kForbidden, when not 0.
  // For the first four statuses:
  std::int64_t next_offset = 0;
  std::int64_t min_offset = 0;
  std::int64_t max_offset = 0;
  std::int32_t topic_sys_flag = 0;
  std::int32_t group_sys_flag = 0;
  std::vector<RecordRef> records;

  bool answers_with_offsets() const { return status <= PullStatus::kOffsetMoved; }
};

}  // namespace apogee
