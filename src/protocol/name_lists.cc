#include "protocol/name_lists.h"

#include <utility>

#include "base/json.h"
#include "protocol/json_body.h"

namespace apogee {
namespace {

std::string EncodeOneList(std::string name, const std::vector<std::string>& texts) {
  Json json;
  json.Set(std::move(name), TextsToJson(texts));
  return json.Dump();
}

}  // namespace

std::string TopicList::Encode() const {
  Json json;
  if (!broker_addr.empty()) json.Set("brokerAddr", broker_addr);
  json.Set("topicList", TextsToJson(topics));
  return json.Dump();
}

Result<TopicList> TopicList::Parse(std::string_view body) {
  AP_TRY(const Json json, ParseJsonBody(body));
  return TopicList{.topics = TextsFromJson(json["topicList"]),
                   .broker_addr = json["brokerAddr"].ToText()};
}

std::string KvTable::Encode() const {
  Json::Object members;
  members.reserve(table.size());
  for (const auto& [key, value] : table) members.emplace_back(key, value);
  Json json;
  json.Set("table", Json(std::move(members)));
  return json.Dump();
}

Result<KvTable> KvTable::Parse(std::string_view body) {
  AP_TRY(const Json json, ParseJsonBody(body));
  return KvTable{.table = TextMapFromJson(json["table"])};
}

std::string EncodeGroupList(const std::vector<std::string>& groups) {
  return EncodeOneList("groupList", groups);
}

std::string EncodeConsumerIdList(const std::vector<std::string>& client_ids) {
  return EncodeOneList("consumerIdList", client_ids);
}

Result<std::vector<std::string>> ParseConsumerIdList(std::string_view body) {
  AP_TRY(const Json json, ParseJsonBody(body));
  return TextsFromJson(json["consumerIdList"]);
}

}  // namespace apogee
