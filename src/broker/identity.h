// Who this broker is, and the switches that several services read. Constant after start unless said
// otherwise.
#pragma once

#include <cstdint>
#include <string>

#include "message/host.h"

namespace apogee {

struct BrokerIdentity {
  std::string cluster = "DefaultCluster";  // brokerClusterName
  std::string name;                        // brokerName
  std::int64_t id = 0;                     // brokerId, 0 = master
  std::string region = "DefaultRegion";    // regionId
  Host store_host;       // brokerIP1 with the listen port: in records, ids and routes.
  bool trace_on = true;  // traceOn
};

}  // namespace apogee
