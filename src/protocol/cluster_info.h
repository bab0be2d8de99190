// All brokers of all clusters (GET_BROKER_CLUSTER_INFO) and the members of one broker group
// (GET_BROKER_MEMBER_GROUP); remoting reference §4.2.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "base/result.h"
#include "protocol/topic_route.h"

namespace apogee {

struct ClusterInfo {
  std::map<std::string, BrokerData> brokers;              // By broker name.
  std::map<std::string, std::set<std::string>> clusters;  // Broker names by cluster.

  // Integer keys are quoted: every known reader takes them, strict ones nothing else.
  std::string Encode() const;
  static Result<ClusterInfo> Parse(std::string_view body);
};

struct BrokerMemberGroup {
  std::string cluster;
  std::string broker_name;
  std::map<std::int64_t, std::string> addrs;

  // {"brokerMemberGroup":{…}}
  std::string Encode() const;
  static Result<BrokerMemberGroup> Parse(std::string_view body);
};

}  // namespace apogee
