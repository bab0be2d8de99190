#include "protocol/topic_route.h"

#include <charconv>
#include <utility>

#include "protocol/json_body.h"

namespace apogee {
namespace {

// Written member by member, not by way of a Json value: routes are asked for by the thousand.
void AppendMember(std::string_view separator_and_name, std::int64_t value, std::string& out) {
  out.append(separator_and_name);
  out.append(std::to_string(value));
}

void AppendMember(std::string_view separator_and_name, std::string_view value, JsonKeys keys,
                  std::string& out) {
  out.append(separator_and_name);
  AppendJsonString(out, value, keys == JsonKeys::kQuoted);
}

template <typename Items, typename Append>
void AppendJoined(const Items& items, std::string& out, Append&& append) {
  bool first = true;
  for (const auto& item : items) {
    if (!std::exchange(first, false)) out.push_back(',');
    append(item);
  }
}

}  // namespace

QueueData QueueData::FromJson(const Json& json) {
  QueueData queue;
  queue.broker_name = json["brokerName"].ToText();
  queue.read_queues = static_cast<std::int32_t>(json["readQueueNums"].ToInt());
  queue.write_queues = static_cast<std::int32_t>(json["writeQueueNums"].ToInt());
  queue.perm = static_cast<std::int32_t>(json["perm"].ToInt());
  // Up to 4.8 the name had a slip in it.
  const Json& flag = json.Has("topicSysFlag") ? json["topicSysFlag"] : json["topicSynFlag"];
  queue.topic_sys_flag = static_cast<std::int32_t>(flag.ToInt());
  return queue;
}

BrokerData BrokerData::FromJson(const Json& json) {
  BrokerData broker;
  broker.cluster = json["cluster"].ToText();
  broker.broker_name = json["brokerName"].ToText();
  broker.enable_acting_master = json["enableActingMaster"].ToBool();
  broker.zone_name = json["zoneName"].ToText();
  for (const auto& [key, addr] : json["brokerAddrs"].object()) {
    std::int64_t id = 0;
    const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), id);
    if (error == std::errc{} && end == key.data() + key.size()) broker.addrs[id] = addr.ToText();
  }
  return broker;
}

void AppendBrokerAddrs(const std::map<std::int64_t, std::string>& addrs, JsonKeys keys,
                       std::string& out) {
  out.push_back('{');
  AppendJoined(addrs, out, [&](const auto& entry) {
    const std::string id = std::to_string(entry.first);
    out.append(keys == JsonKeys::kQuoted ? '"' + id + '"' : id);
    AppendMember(":", entry.second, keys, out);
  });
  out.push_back('}');
}

void AppendBrokerData(const BrokerData& broker, JsonKeys keys, std::string& out) {
  out.append("{\"brokerAddrs\":");
  AppendBrokerAddrs(broker.addrs, keys, out);
  AppendMember(",\"brokerName\":", broker.broker_name, keys, out);
  AppendMember(",\"cluster\":", broker.cluster, keys, out);
  out.append(",\"enableActingMaster\":");
  out.append(broker.enable_acting_master ? "true" : "false");
  if (!broker.zone_name.empty()) AppendMember(",\"zoneName\":", broker.zone_name, keys, out);
  out.push_back('}');
}

std::string TopicRouteData::Encode(JsonKeys keys) const {
  std::string out;
  out.reserve(128 + brokers.size() * 160 + queues.size() * 128);
  out.append("{\"brokerDatas\":[");
  AppendJoined(brokers, out, [&](const BrokerData& b) { AppendBrokerData(b, keys, out); });
  out.append("],\"filterServerTable\":{");
  AppendJoined(filter_servers, out, [&](const auto& entry) {
    AppendMember("", entry.first, keys, out);
    out.append(":[");
    AppendJoined(entry.second, out, [&](const std::string& s) { AppendMember("", s, keys, out); });
    out.push_back(']');
  });
  out.push_back('}');
  if (!order_topic_conf.empty()) {
    AppendMember(",\"orderTopicConf\":", order_topic_conf, keys, out);
  }
  out.append(",\"queueDatas\":[");
  AppendJoined(queues, out, [&](const QueueData& queue) {
    AppendMember("{\"brokerName\":", queue.broker_name, keys, out);
    AppendMember(",\"perm\":", queue.perm, out);
    AppendMember(",\"readQueueNums\":", queue.read_queues, out);
    AppendMember(",\"topicSysFlag\":", queue.topic_sys_flag, out);
    AppendMember(",\"writeQueueNums\":", queue.write_queues, out);
    out.push_back('}');
  });
  out.push_back(']');
  if (!mappings.empty()) {
    out.append(",\"topicQueueMappingByBroker\":{");
    AppendJoined(mappings, out, [&](const auto& entry) {
      AppendMember("", entry.first, keys, out);
      out.push_back(':');
      out.append(entry.second.Dump(keys == JsonKeys::kQuoted ? Json::Style::kCompactAscii
                                                             : Json::Style::kCompact));
    });
    out.push_back('}');
  }
  out.push_back('}');
  return out;
}

Result<TopicRouteData> TopicRouteData::Parse(std::string_view body) {
  AP_TRY(const Json json, ParseJsonBody(body));
  TopicRouteData route;
  route.order_topic_conf = json["orderTopicConf"].ToText();
  for (const Json& queue : json["queueDatas"].array()) {
    route.queues.push_back(QueueData::FromJson(queue));
  }
  for (const Json& broker : json["brokerDatas"].array()) {
    route.brokers.push_back(BrokerData::FromJson(broker));
  }
  for (const auto& [addr, servers] : json["filterServerTable"].object()) {
    route.filter_servers[addr] = TextsFromJson(servers);
  }
  for (const auto& [name, mapping] : json["topicQueueMappingByBroker"].object()) {
    route.mappings[name] = mapping;
  }
  return route;
}

}  // namespace apogee
