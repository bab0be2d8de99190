// Names of topics and groups: rules, prefixes and the names that the system keeps for itself.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace apogee {

inline constexpr std::string_view kRetryPrefix = "%RETRY%";
inline constexpr std::string_view kDlqPrefix = "%DLQ%";
inline constexpr std::string_view kAutoCreateTopic = "TBW102";
inline constexpr std::string_view kScheduleTopic = "SCHEDULE_TOPIC_XXXX";
inline constexpr std::string_view kHalfTopic = "RMQ_SYS_TRANS_HALF_TOPIC";
inline constexpr std::string_view kOpHalfTopic = "RMQ_SYS_TRANS_OP_HALF_TOPIC";
inline constexpr std::string_view kTransCheckMaxTopic = "TRANS_CHECK_MAX_TIME_TOPIC";
inline constexpr std::string_view kSelfTestTopic = "SELF_TEST_TOPIC";
inline constexpr std::string_view kOffsetMovedTopic = "OFFSET_MOVED_EVENT";
inline constexpr std::string_view kBenchmarkTopic = "BenchmarkTest";
inline constexpr std::string_view kTraceTopic = "RMQ_SYS_TRACE_TOPIC";
inline constexpr std::string_view kWheelTimerTopic = "rmq_sys_wheel_timer";
inline constexpr std::string_view kRocksdbHalfTopic = "RMQ_SYS_ROCKSDB_TRANS_HALF_TOPIC";
inline constexpr std::string_view kRocksdbOpHalfTopic = "RMQ_SYS_ROCKSDB_TRANS_OP_HALF_TOPIC";
inline constexpr std::string_view kCheckpointTopic = "CHECKPOINT_TOPIC";
inline constexpr std::size_t kTopicNameMax = 127;
inline constexpr std::size_t kRetryTopicNameMax = 255;
inline constexpr std::size_t kGroupNameMax = 120;

inline bool IsRetryTopic(std::string_view topic) {
  return topic.starts_with(kRetryPrefix);
}
inline bool IsDlqTopic(std::string_view topic) {
  return topic.starts_with(kDlqPrefix);
}
std::string RetryTopicOf(std::string_view group);

// OK, or kInvalidArgument with the text that RocketMQ's users search for ("The specified topic: …,
// contains illegal characters, allowing only ^[%|a-zA-Z0-9_-]+$", "… is longer than topic max
// length: 127", "… is blank.").
Status CheckTopicName(std::string_view topic);
Status CheckGroupName(std::string_view group);

// Topics that clients may not create or delete (cluster-dependent names included) and that they may
// not send to.
bool IsSystemTopic(std::string_view topic, std::string_view cluster);
bool IsSendForbidden(std::string_view topic);
// Groups that are created on use whatever the switches say.
bool IsSystemGroup(std::string_view group);

}  // namespace apogee
