#include "message/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace apogee {
namespace {

constexpr std::string_view kSystemTopicPrefix = "rmq_sys_";
constexpr std::string_view kSystemGroupPrefix = "CID_RMQ_SYS_";
constexpr std::string_view kReplyTopicSuffix = "_REPLY_TOPIC";

bool IsNameByte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '%' ||
         c == '|' || c == '-' || c == '_';
}

bool IsBlank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n\f\v") == std::string_view::npos;
}

Status CheckName(std::string_view kind, std::string_view name, std::size_t bytes_max) {
  if (IsBlank(name)) {
    return Fail(ErrorCode::kInvalidArgument, fmt::format("The specified {} is blank.", kind));
  }
  if (name.size() > bytes_max) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("The specified {}: {}, is longer than {} max length: {}", kind, name,
                            kind, bytes_max));
  }
  if (!std::all_of(name.begin(), name.end(), IsNameByte)) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("The specified {}: {}, contains illegal characters, allowing only "
                            "^[%|a-zA-Z0-9_-]+$",
                            kind, name));
  }
  return Ok();
}

template <std::size_t n>
bool IsOneOf(std::string_view name, const std::array<std::string_view, n>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

std::string RetryTopicOf(std::string_view group) {
  std::string topic(kRetryPrefix);
  topic += group;
  return topic;
}

Status CheckTopicName(std::string_view topic) {
  const bool long_one = IsRetryTopic(topic) || IsDlqTopic(topic);
  return CheckName("topic", topic, long_one ? kRetryTopicNameMax : kTopicNameMax);
}

Status CheckGroupName(std::string_view group) {
  return CheckName("group", group, kGroupNameMax);
}

bool IsSystemTopic(std::string_view topic, std::string_view cluster) {
  static constexpr std::array kTopics = {
      kAutoCreateTopic,  kScheduleTopic,   kBenchmarkTopic,     kHalfTopic,
      kOpHalfTopic,      kTraceTopic,      kTransCheckMaxTopic, kSelfTestTopic,
      kOffsetMovedTopic, kCheckpointTopic, kRocksdbHalfTopic,   kRocksdbOpHalfTopic};
  if (topic.starts_with(kSystemTopicPrefix) || IsOneOf(topic, kTopics)) return true;
  return topic.starts_with(cluster) && !cluster.empty() &&
         (topic.size() == cluster.size() || topic.substr(cluster.size()) == kReplyTopicSuffix);
}

bool IsSendForbidden(std::string_view topic) {
  static constexpr std::array kTopics = {kScheduleTopic,      kHalfTopic,     kOpHalfTopic,
                                         kTransCheckMaxTopic, kSelfTestTopic, kOffsetMovedTopic};
  return IsOneOf(topic, kTopics);
}

bool IsSystemGroup(std::string_view group) {
  static constexpr std::array<std::string_view, 7> kGroups = {
      "TOOLS_CONSUMER",  "FILTERSRV_CONSUMER",    "SELF_TEST_C_GROUP", "CID_ONS-HTTP-PROXY",
      "CID_ONSAPI_PULL", "CID_ONSAPI_PERMISSION", "CID_ONSAPI_OWNER"};
  return group.starts_with(kSystemGroupPrefix) || IsOneOf(group, kGroups);
}

}  // namespace apogee
