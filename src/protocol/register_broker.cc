#include "protocol/register_broker.h"

#include <array>
#include <charconv>
#include <utility>

#include "base/bytes.h"
#include "protocol/client_version.h"
#include "protocol/json_body.h"
#include "protocol/zlib_stream.h"

namespace apogee {
namespace {

constexpr std::string_view kZoneField = "__ZONE_NAME";

Error Undecodable(std::string_view why) {
  return Error(ErrorCode::kCorruption, "Failed to decode RegisterBrokerBody: " + std::string(why));
}

RegisterBrokerBody FromWrapper(const Json& wrapper) {
  RegisterBrokerBody body;
  body.data_version = DataVersion::FromJson(wrapper["dataVersion"]);
  const Json::Object& table = wrapper["topicConfigTable"].object();
  body.topics.reserve(table.size());
  for (const auto& [name, config] : table) {
    if (!config.is_object()) continue;
    TopicConfig topic = TopicConfig::FromJson(config);
    if (topic.name.empty()) topic.name = name;
    body.topics.push_back(std::move(topic));
  }
  for (const auto& [topic, info] : wrapper["topicQueueMappingInfoMap"].object()) {
    body.mappings[topic] = info;
  }
  return body;
}

Result<RegisterBrokerBody> FromJsonText(std::string_view text, std::int32_t version) {
  const auto json = Json::Parse(text);
  if (!json.ok()) return std::unexpected(Undecodable(json.error().message()));
  if (!json->is_object()) return std::unexpected(Undecodable("no JSON object"));
  // Told apart by what is there, in case the version lies.
  const bool bare = json->Has("topicConfigTable") ||
                    (version < kVersionRegisterBody && !json->Has("topicConfigSerializeWrapper"));
  if (bare) return FromWrapper(*json);
  RegisterBrokerBody body = FromWrapper((*json)["topicConfigSerializeWrapper"]);
  body.filter_servers = TextsFromJson((*json)["filterServerList"]);
  return body;
}

bool ToInt32(std::string_view text, std::int32_t* value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *value);
  return error == std::errc{} && end == text.data() + text.size();
}

// "name readQueues writeQueues perm filterType[ attributes]". Attributes are JSON and may hold
// blanks themselves.
Result<TopicConfig> TopicFromText(std::string_view text) {
  std::array<std::string_view, 5> parts;
  for (std::string_view& part : parts) {
    const std::size_t blank = text.find(' ');
    part = text.substr(0, blank);
    text = blank == std::string_view::npos ? std::string_view() : text.substr(blank + 1);
  }
  TopicConfig topic;
  topic.name = parts[0];
  topic.multi_tag = parts[4] == "MULTI_TAG";
  if (topic.name.empty() || !ToInt32(parts[1], &topic.read_queues) ||
      !ToInt32(parts[2], &topic.write_queues) || !ToInt32(parts[3], &topic.perm)) {
    return std::unexpected(Undecodable("the topic \"" + topic.name + "\" does not read"));
  }
  if (const auto attributes = Json::Parse(text); !text.empty() && attributes.ok()) {
    topic.attributes = TextMapFromJson(*attributes);
  }
  return topic;
}

Result<RegisterBrokerBody> FromZlib(std::string_view stream, std::int32_t version) {
  const auto unpacked = InflateZlib(stream, kRegistrationBytesMax);
  if (!unpacked.ok()) return std::unexpected(Undecodable(unpacked.error().message()));
  ByteReader reader(*unpacked);
  const auto read_text = [&reader] { return reader.ReadBytes(reader.Read<std::int32_t>()); };
  const auto read_json = [&read_text]() -> Result<Json> { return Json::Parse(read_text()); };
  constexpr std::string_view kShort = "it ends too early";

  RegisterBrokerBody body;
  const auto data_version = read_json();
  if (!data_version.ok()) return std::unexpected(Undecodable("no data version"));
  body.data_version = DataVersion::FromJson(*data_version);
  // Counts are believed only as far as bytes follow.
  for (std::int64_t left = reader.Read<std::int32_t>(); left > 0; --left) {
    const std::string_view text = read_text();
    if (!reader.ok()) return std::unexpected(Undecodable(kShort));
    AP_TRY(TopicConfig topic, TopicFromText(text));
    body.topics.push_back(std::move(topic));
  }
  if (reader.remaining() > 0) {
    const auto filters = read_json();
    if (filters.ok()) body.filter_servers = TextsFromJson(*filters);
  }
  if (version >= kVersionMappings && reader.remaining() > 0) {
    for (std::int64_t left = reader.Read<std::int32_t>(); left > 0; --left) {
      const auto info = read_json();
      if (!reader.ok()) return std::unexpected(Undecodable(kShort));
      if (info.ok()) body.mappings[(*info)["topic"].ToText()] = *info;
    }
  }
  if (!reader.ok()) return std::unexpected(Undecodable(kShort));
  return body;
}

}  // namespace

Result<RegisterBrokerHeader> RegisterBrokerHeader::FromFields(const Fields& fields) {
  RegisterBrokerHeader header;
  AP_TRY(header.cluster, fields.RequireText("clusterName"));
  AP_TRY(header.broker_name, fields.RequireText("brokerName"));
  AP_TRY(header.broker_addr, fields.RequireText("brokerAddr"));
  AP_TRY(header.broker_id, fields.RequireInt("brokerId"));
  header.ha_server_addr = fields.Text("haServerAddr");
  if (fields.Find("heartbeatTimeoutMillis")) {
    AP_TRY(header.heartbeat_timeout_ms, fields.RequireInt("heartbeatTimeoutMillis"));
  }
  if (fields.Find("enableActingMaster")) {
    header.enable_acting_master = fields.Bool("enableActingMaster", false);
  }
  header.compressed = fields.Bool("compressed", false);
  header.body_crc32 = static_cast<std::int32_t>(fields.Int("bodyCrc32", 0));
  header.zone_name = fields.Text(kZoneField);
  return header;
}

void RegisterBrokerHeader::AddTo(Fields* fields) const {
  fields->Add("brokerName", broker_name);
  fields->Add("brokerAddr", broker_addr);
  fields->Add("clusterName", cluster);
  fields->Add("haServerAddr", ha_server_addr);
  fields->AddInt("brokerId", broker_id);
  if (heartbeat_timeout_ms) fields->AddInt("heartbeatTimeoutMillis", *heartbeat_timeout_ms);
  if (enable_acting_master) fields->AddBool("enableActingMaster", *enable_acting_master);
  fields->AddBool("compressed", compressed);
  fields->AddInt("bodyCrc32", body_crc32);
  if (!zone_name.empty()) fields->Add(kZoneField, zone_name);
}

std::string RegisterBrokerBody::Encode() const {
  Json::Object table;
  table.reserve(topics.size());
  for (const TopicConfig& topic : topics) table.emplace_back(topic.name, topic.ToJson());
  Json::Object infos;
  for (const auto& [topic, info] : mappings) infos.emplace_back(topic, info);
  Json::Object wrapper;
  wrapper.emplace_back("dataVersion", data_version.ToJson());
  wrapper.emplace_back("mappingDataVersion", DataVersion().ToJson());
  wrapper.emplace_back("topicConfigTable", Json(std::move(table)));
  wrapper.emplace_back("topicQueueMappingDetailMap", Json(Json::Object()));
  wrapper.emplace_back("topicQueueMappingInfoMap", Json(std::move(infos)));
  Json::Object body;
  body.emplace_back("filterServerList", TextsToJson(filter_servers));
  body.emplace_back("topicConfigSerializeWrapper", Json(std::move(wrapper)));
  return Json(std::move(body)).Dump();
}

Result<RegisterBrokerBody> DecodeRegisterBrokerBody(std::string_view body, std::int32_t version) {
  if (body.empty()) return RegisterBrokerBody();
  return LooksLikeZlib(body) ? FromZlib(body, version) : FromJsonText(body, version);
}

void BrokerHeader::AddTo(Fields* fields) const {
  fields->Add("brokerName", broker_name);
  fields->Add("brokerAddr", broker_addr);
  fields->Add("clusterName", cluster);
  fields->AddInt("brokerId", broker_id);
}

BrokerHeader BrokerHeader::FromFields(const Fields& fields) {
  return {.cluster = std::string(fields.Text("clusterName")),
          .broker_name = std::string(fields.Text("brokerName")),
          .broker_addr = std::string(fields.Text("brokerAddr")),
          .broker_id = fields.Int("brokerId", 0)};
}

}  // namespace apogee
