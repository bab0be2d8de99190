// The headers of PULL_MESSAGE and LITE_PULL_MESSAGE and of their answers (remoting reference §2.5).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/result.h"
#include "protocol/fields.h"

namespace apogee {

// Views live as long as the fields they were decoded from.
struct PullHeader {
  std::string_view consumer_group;
  std::string_view topic;
  std::int32_t queue_id = 0;
  std::int64_t queue_offset = 0;
  std::int32_t max_msg_nums = 0;
  std::int32_t sys_flag = 0;
  std::int64_t commit_offset = 0;
  std::int64_t suspend_timeout_ms = 0;
  std::string_view subscription;
  std::int64_t sub_version = 0;
  std::string_view expression_type;
  std::optional<std::int32_t> max_msg_bytes;

  // One pass over `fields`. kInvalidArgument names the field: group, topic, queueId, queueOffset,
  // maxMsgNums or sysFlag missing, or text where a number is due.
  static Result<PullHeader> FromFields(const Fields& fields);
  void AddTo(Fields* fields) const;
};

struct PullResponseHeader {
  std::int64_t suggest_which_broker_id = 0;
  std::int64_t next_begin_offset = 0;
  std::int64_t min_offset = 0;
  std::int64_t max_offset = 0;
  std::int32_t topic_sys_flag = 0;
  std::int32_t group_sys_flag = 0;

  void AddTo(Fields* fields) const;
  static PullResponseHeader FromFields(const Fields& fields);
};

}  // namespace apogee
