// Which address a broker tells the name servers, and why.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "net/tcp.h"

namespace apogee {

struct AdvertiseInput {
  std::string broker_ip;                  // Key brokerIP1; empty: choose.
  std::string bind_address;               // Key bindAddress.
  std::vector<std::string> name_servers;  // "host:port", others than the one in this process.
  std::vector<InterfaceAddress> interfaces;
  // net/local_address.h, or a test's.
  std::function<Result<std::string>(const std::string& host)> local_address_towards;
};

struct Advertised {
  std::string address;
  std::string reason;                 // "the first address of eth0"
  std::vector<std::string> warnings;  // To be logged.
};

// In this order: brokerIP1; a bindAddress that is no wildcard; the address from which the first
// name server on another machine is reached; the first address that is neither loopback nor a
// container bridge; a container bridge, with a warning; loopback, with a warning. kInvalidArgument:
// only loopback is left (or asked for) and a name server is on another machine, where a loopback
// address would lead every client to itself.
Result<Advertised> ChooseAdvertised(const AdvertiseInput& input);

bool IsLoopbackHost(const std::string& host);
bool IsContainerBridge(const std::string& interface_name);

}  // namespace apogee
