#include "message/group_config.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace apogee {
namespace {

constexpr std::array<std::string_view, 12> kOwnMembers = {"brokerId",
                                                          "consumeBroadcastEnable",
                                                          "consumeEnable",
                                                          "consumeFromMinEnable",
                                                          "consumeMessageOrderly",
                                                          "consumeTimeoutMinute",
                                                          "groupName",
                                                          "groupSysFlag",
                                                          "notifyConsumerIdsChangedEnable",
                                                          "retryMaxTimes",
                                                          "retryQueueNums",
                                                          "whichBrokerWhenConsumeSlowly"};

bool IsOwn(std::string_view name) {
  return std::find(kOwnMembers.begin(), kOwnMembers.end(), name) != kOwnMembers.end();
}

std::int32_t ToInt32(const Json& json, std::int32_t fallback) {
  return static_cast<std::int32_t>(json.ToInt(fallback));
}

}  // namespace

Json GroupConfig::ToJson() const {
  Json::Object members;
  members.emplace_back("brokerId", broker_id);
  members.emplace_back("consumeBroadcastEnable", consume_broadcast_enable);
  members.emplace_back("consumeEnable", consume_enable);
  members.emplace_back("consumeFromMinEnable", consume_from_min_enable);
  members.emplace_back("consumeMessageOrderly", consume_orderly);
  members.emplace_back("consumeTimeoutMinute", consume_timeout_minutes);
  members.emplace_back("groupName", name);
  members.emplace_back("groupSysFlag", sys_flag);
  members.emplace_back("notifyConsumerIdsChangedEnable", notify_consumer_ids_changed);
  members.emplace_back("retryMaxTimes", retry_max_times);
  members.emplace_back("retryQueueNums", retry_queues);
  members.emplace_back("whichBrokerWhenConsumeSlowly", which_broker_when_slow);
  for (const auto& [key, value] : others.object()) {
    if (!IsOwn(key)) members.emplace_back(key, value);
  }
  // Always on the wire and in the file of 5.5, with these values when nobody set them.
  if (others["attributes"].is_null()) members.emplace_back("attributes", Json::Object());
  if (others["groupRetryPolicy"].is_null()) {
    members.emplace_back("groupRetryPolicy", Json().Set("type", "CUSTOMIZED"));
  }
  std::sort(members.begin(), members.end(),
            [](const Json::Member& a, const Json::Member& b) { return a.first < b.first; });
  return Json(std::move(members));
}

GroupConfig GroupConfig::FromJson(const Json& json) {
  GroupConfig config;
  config.name = json["groupName"].ToText();
  config.consume_enable = json["consumeEnable"].ToBool(config.consume_enable);
  config.consume_from_min_enable =
      json["consumeFromMinEnable"].ToBool(config.consume_from_min_enable);
  config.consume_broadcast_enable =
      json["consumeBroadcastEnable"].ToBool(config.consume_broadcast_enable);
  config.consume_orderly = json["consumeMessageOrderly"].ToBool(config.consume_orderly);
  config.retry_queues = ToInt32(json["retryQueueNums"], config.retry_queues);
  config.retry_max_times = ToInt32(json["retryMaxTimes"], config.retry_max_times);
  config.broker_id = json["brokerId"].ToInt(config.broker_id);
  config.which_broker_when_slow =
      json["whichBrokerWhenConsumeSlowly"].ToInt(config.which_broker_when_slow);
  config.notify_consumer_ids_changed =
      json["notifyConsumerIdsChangedEnable"].ToBool(config.notify_consumer_ids_changed);
  config.sys_flag = ToInt32(json["groupSysFlag"], config.sys_flag);
  config.consume_timeout_minutes =
      ToInt32(json["consumeTimeoutMinute"], config.consume_timeout_minutes);
  for (const auto& [key, value] : json.object()) {
    if (!IsOwn(key) && !value.is_null()) config.others.Set(key, value);
  }
  return config;
}

}  // namespace apogee
