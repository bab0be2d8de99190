#include "protocol/heartbeat.h"

#include <array>
#include <utility>

#include "protocol/json_body.h"

namespace apogee {
namespace {

constexpr auto kTypes = std::to_array<std::string_view>({
    "CONSUME_ACTIVELY",
    "CONSUME_PASSIVELY",
    "CONSUME_POP",
});
constexpr auto kModels = std::to_array<std::string_view>({"BROADCASTING", "CLUSTERING"});
constexpr auto kFroms = std::to_array<std::string_view>({
    "CONSUME_FROM_LAST_OFFSET",
    "CONSUME_FROM_LAST_OFFSET_AND_FROM_MIN_WHEN_BOOT_FIRST",
    "CONSUME_FROM_MIN_OFFSET",
    "CONSUME_FROM_MAX_OFFSET",
    "CONSUME_FROM_FIRST_OFFSET",
    "CONSUME_FROM_TIMESTAMP",
});

template <typename Enum, std::size_t n>
std::optional<Enum> EnumMember(const Json& json, const std::array<std::string_view, n>& names) {
  const auto place = EnumFromJson(json, names);
  return place ? std::optional(static_cast<Enum>(*place)) : std::nullopt;
}

template <typename Enum, std::size_t n>
void SetEnum(Json& json, const char* name, std::optional<Enum> value,
             const std::array<std::string_view, n>& names) {
  if (value) json.Set(name, names[static_cast<std::size_t>(*value)]);
}

Status CheckSet(const Json& json, std::string_view name) {
  if (json.Has(name) && json[name].is_null()) {
    return Fail(ErrorCode::kInvalidArgument, std::string(name) + " is null");
  }
  return Ok();
}

Result<std::string> GroupName(const Json& json) {
  if (json["groupName"].is_null()) {
    return Fail(ErrorCode::kInvalidArgument, "a group has no groupName");
  }
  return json["groupName"].ToText();
}

Result<ConsumerData> ConsumerFromJson(const Json& json) {
  ConsumerData consumer;
  AP_TRY(consumer.group, GroupName(json));
  consumer.type = EnumMember<ConsumerData::Type>(json["consumeType"], kTypes);
  consumer.model = EnumMember<ConsumerData::Model>(json["messageModel"], kModels);
  consumer.from = EnumMember<ConsumerData::From>(json["consumeFromWhere"], kFroms);
  consumer.unit_mode = json["unitMode"].ToBool();
  for (const Json& subscription : json["subscriptionDataSet"].array()) {
    consumer.subscriptions.push_back(Subscription::FromJson(subscription));
  }
  return consumer;
}

Json ConsumerToJson(const ConsumerData& consumer) {
  Json json{Json::Object()};
  SetEnum(json, "consumeFromWhere", consumer.from, kFroms);
  SetEnum(json, "consumeType", consumer.type, kTypes);
  json.Set("groupName", consumer.group);
  SetEnum(json, "messageModel", consumer.model, kModels);
  Json::Array subscriptions;
  for (const Subscription& s : consumer.subscriptions) subscriptions.push_back(s.ToJson());
  json.Set("subscriptionDataSet", Json(std::move(subscriptions)));
  json.Set("unitMode", consumer.unit_mode);
  return json;
}

}  // namespace

Result<HeartbeatData> HeartbeatData::Parse(std::string_view body) {
  AP_TRY(const Json json, ParseJsonBody(body));
  HeartbeatData data;
  data.client_id = json["clientID"].ToText();
  data.fingerprint = static_cast<std::int32_t>(json["heartbeatFingerprint"].ToInt());
  data.without_sub = json["withoutSub"].ToBool();
  AP_RETURN_IF_ERROR(CheckSet(json, "consumerDataSet"));
  AP_RETURN_IF_ERROR(CheckSet(json, "producerDataSet"));
  for (const Json& consumer : json["consumerDataSet"].array()) {
    AP_TRY(ConsumerData one, ConsumerFromJson(consumer));
    data.consumers.push_back(std::move(one));
  }
  for (const Json& producer : json["producerDataSet"].array()) {
    AP_TRY(std::string group, GroupName(producer));
    data.producer_groups.push_back(std::move(group));
  }
  // One that names no group changes nothing; Apache's broker answers it with success as well.
  const bool empty = data.consumers.empty() && data.producer_groups.empty();
  if (json["clientID"].is_null() && !empty) {
    return Fail(ErrorCode::kInvalidArgument, "clientID is missing");
  }
  return data;
}

std::string HeartbeatData::Encode() const {
  Json json{Json::Object()};
  json.Set("clientID", client_id);
  Json::Array consumer_set;
  for (const ConsumerData& consumer : consumers) consumer_set.push_back(ConsumerToJson(consumer));
  json.Set("consumerDataSet", Json(std::move(consumer_set)));
  json.Set("heartbeatFingerprint", static_cast<std::int64_t>(fingerprint));
  Json::Array producer_set;
  for (const std::string& group : producer_groups) {
    Json producer;
    producer.Set("groupName", group);
    producer_set.push_back(std::move(producer));
  }
  json.Set("producerDataSet", Json(std::move(producer_set)));
  json.Set("withoutSub", without_sub);
  return json.Dump();
}

Result<CheckClientData> CheckClientData::Parse(std::string_view body) {
  AP_TRY(const Json json, ParseJsonBody(body));
  CheckClientData data;
  data.client_id = json["clientId"].ToText();
  data.group = json["group"].ToText();
  data.name_space = json["namespace"].ToText();
  if (json["subscriptionData"].is_object()) {
    data.subscription = Subscription::FromJson(json["subscriptionData"]);
  }
  return data;
}

}  // namespace apogee
