#include "protocol/config_tables.h"

#include <utility>

#include "base/json.h"
#include "protocol/json_body.h"

namespace apogee {

std::string TopicConfigTable::Encode() const {
  Json::Object table;
  table.reserve(topics.size());
  for (const TopicConfig& topic : topics) table.emplace_back(topic.name, topic.ToJson());
  Json::Object json;
  json.emplace_back("dataVersion", data_version.ToJson());
  json.emplace_back("mappingDataVersion", DataVersion().ToJson());
  json.emplace_back("topicConfigTable", Json(std::move(table)));
  json.emplace_back("topicQueueMappingDetailMap", Json(Json::Object()));
  json.emplace_back("topicQueueMappingInfoMap", Json(Json::Object()));
  return Json(std::move(json)).Dump();
}

Result<TopicConfigTable> TopicConfigTable::Parse(std::string_view body) {
  AP_TRY(const Json json, ParseJsonBody(body));
  TopicConfigTable table;
  table.data_version = DataVersion::FromJson(json["dataVersion"]);
  for (const auto& [name, config] : json["topicConfigTable"].object()) {
    table.topics.push_back(TopicConfig::FromJson(config));
    if (table.topics.back().name.empty()) table.topics.back().name = name;
  }
  return table;
}

std::string GroupConfigTable::Encode() const {
  Json::Object forbidden_table;
  for (const auto& [group, topics] : forbidden) {
    Json::Object bits;
    for (const auto& [topic, value] : topics) {
      bits.emplace_back(topic, static_cast<std::int64_t>(value));
    }
    forbidden_table.emplace_back(group, Json(std::move(bits)));
  }
  Json::Object table;
  table.reserve(groups.size());
  for (const GroupConfig& group : groups) table.emplace_back(group.name, group.ToJson());
  Json::Object json;
  json.emplace_back("dataVersion", data_version.ToJson());
  json.emplace_back("forbiddenTable", Json(std::move(forbidden_table)));
  json.emplace_back("subscriptionGroupTable", Json(std::move(table)));
  return Json(std::move(json)).Dump();
}

Result<GroupConfigTable> GroupConfigTable::Parse(std::string_view body) {
  AP_TRY(const Json json, ParseJsonBody(body));
  GroupConfigTable table;
  table.data_version = DataVersion::FromJson(json["dataVersion"]);
  for (const auto& [name, config] : json["subscriptionGroupTable"].object()) {
    table.groups.push_back(GroupConfig::FromJson(config));
    if (table.groups.back().name.empty()) table.groups.back().name = name;
  }
  for (const auto& [group, topics] : json["forbiddenTable"].object()) {
    for (const auto& [topic, value] : topics.object()) {
      table.forbidden[group][topic] = static_cast<std::int32_t>(value.ToInt());
    }
  }
  return table;
}

Result<std::vector<TopicConfig>> ParseTopicConfigList(std::string_view body) {
  AP_TRY(const Json json, ParseJsonBody(body));
  std::vector<TopicConfig> topics;
  for (const Json& topic : json["topicConfigList"].array()) {
    topics.push_back(TopicConfig::FromJson(topic));
  }
  return topics;
}

Result<std::vector<GroupConfig>> ParseGroupConfigList(std::string_view body) {
  AP_TRY(const Json json, ParseJsonBody(body));
  std::vector<GroupConfig> groups;
  for (const Json& group : json["groupConfigList"].array()) {
    groups.push_back(GroupConfig::FromJson(group));
  }
  return groups;
}

}  // namespace apogee
