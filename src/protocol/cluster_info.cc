#include "protocol/cluster_info.h"

#include <utility>

#include "base/json.h"
#include "protocol/json_body.h"

namespace apogee {

std::string ClusterInfo::Encode() const {
  std::string out = "{\"brokerAddrTable\":{";
  bool first = true;
  for (const auto& [name, broker] : brokers) {
    if (!std::exchange(first, false)) out.push_back(',');
    AppendJsonString(out, name);
    out.push_back(':');
    AppendBrokerData(broker, JsonKeys::kQuoted, out);
  }
  out.append("},\"clusterAddrTable\":{");
  first = true;
  for (const auto& [cluster, names] : clusters) {
    if (!std::exchange(first, false)) out.push_back(',');
    AppendJsonString(out, cluster);
    out.push_back(':');
    out.append(TextsToJson(names).Dump());
  }
  out.append("}}");
  return out;
}

Result<ClusterInfo> ClusterInfo::Parse(std::string_view body) {
  AP_TRY(const Json json, ParseJsonBody(body));
  ClusterInfo info;
  for (const auto& [name, broker] : json["brokerAddrTable"].object()) {
    info.brokers[name] = BrokerData::FromJson(broker);
  }
  for (const auto& [cluster, names] : json["clusterAddrTable"].object()) {
    for (std::string& name : TextsFromJson(names)) info.clusters[cluster].insert(std::move(name));
  }
  return info;
}

std::string BrokerMemberGroup::Encode() const {
  std::string out = "{\"brokerMemberGroup\":{\"brokerAddrs\":";
  AppendBrokerAddrs(addrs, JsonKeys::kQuoted, out);
  out.append(",\"brokerName\":");
  AppendJsonString(out, broker_name);
  out.append(",\"cluster\":");
  AppendJsonString(out, cluster);
  out.append("}}");
  return out;
}

Result<BrokerMemberGroup> BrokerMemberGroup::Parse(std::string_view body) {
  AP_TRY(const Json json, ParseJsonBody(body));
  BrokerData broker = BrokerData::FromJson(json["brokerMemberGroup"]);
  return BrokerMemberGroup{.cluster = std::move(broker.cluster),
                           .broker_name = std::move(broker.broker_name),
                           .addrs = std::move(broker.addrs)};
}

}  // namespace apogee
