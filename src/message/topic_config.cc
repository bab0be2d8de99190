#include "message/topic_config.h"

#include <fmt/format.h>

namespace apogee {
namespace {

constexpr std::string_view kSingleTag = "SINGLE_TAG";
constexpr std::string_view kMultiTag = "MULTI_TAG";

std::int32_t ToInt32(const Json& json, std::int32_t fallback) {
  return static_cast<std::int32_t>(json.ToInt(fallback));
}

}  // namespace

Json TopicConfig::ToJson() const {
  Json::Object pairs;
  for (const auto& [key, value] : attributes) pairs.emplace_back(key, value);
  Json::Object members;
  members.emplace_back("attributes", std::move(pairs));
  members.emplace_back("order", order);
  members.emplace_back("perm", perm);
  members.emplace_back("readQueueNums", read_queues);
  members.emplace_back("topicFilterType", multi_tag ? kMultiTag : kSingleTag);
  members.emplace_back("topicName", name);
  members.emplace_back("topicSysFlag", sys_flag);
  members.emplace_back("writeQueueNums", write_queues);
  return Json(std::move(members));
}

TopicConfig TopicConfig::FromJson(const Json& json) {
  TopicConfig config;
  config.name = json["topicName"].ToText();
  config.read_queues = ToInt32(json["readQueueNums"], config.read_queues);
  config.write_queues = ToInt32(json["writeQueueNums"], config.write_queues);
  config.perm = ToInt32(json["perm"], config.perm);
  const std::string filter = json["topicFilterType"].ToText();  // By name or by ordinal.
  config.multi_tag = filter == kMultiTag || filter == "1";
  config.sys_flag = ToInt32(json["topicSysFlag"], 0);
  config.order = json["order"].ToBool();
  for (const auto& [key, value] : json["attributes"].object()) {
    config.attributes[key] = value.ToText();
  }
  return config;
}

std::string TopicConfig::ToString() const {
  std::string pairs;
  for (const auto& [key, value] : attributes) {
    if (!pairs.empty()) pairs += ", ";
    pairs += fmt::format("{}={}", key, value);
  }
  return fmt::format(
      "TopicConfig [topicName={}, readQueueNums={}, writeQueueNums={}, perm={}, "
      "topicFilterType={}, topicSysFlag={}, order={}, attributes={{{}}}]",
      name, read_queues, write_queues, PermText(perm), multi_tag ? kMultiTag : kSingleTag, sys_flag,
      order, pairs);
}

std::string PermText(std::int32_t perm) {
  std::string text = "---";
  if ((perm & kPermRead) != 0) text[0] = 'R';
  if ((perm & kPermWrite) != 0) text[1] = 'W';
  if ((perm & kPermInherit) != 0) text[2] = 'X';
  return text;
}

Json DataVersion::ToJson() const {
  Json::Object members;
  members.emplace_back("counter", counter);
  members.emplace_back("stateVersion", state_version);
  members.emplace_back("timestamp", timestamp_ms);
  return Json(std::move(members));
}

DataVersion DataVersion::FromJson(const Json& json) {
  DataVersion version;
  version.counter = json["counter"].ToInt();
  version.state_version = json["stateVersion"].ToInt();
  version.timestamp_ms = json["timestamp"].ToInt();
  return version;
}

}  // namespace apogee
