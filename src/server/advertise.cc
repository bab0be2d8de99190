#include "server/advertise.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace apogee {
namespace {

bool IsWildcard(const std::string& address) {
  return address.empty() || address == "0.0.0.0" || address == "::";
}

const InterfaceAddress* FindAddress(const std::vector<InterfaceAddress>& interfaces,
                                    const std::string& address) {
  const auto at = std::ranges::find(interfaces, address, &InterfaceAddress::address);
  return at == interfaces.end() ? nullptr : &*at;
}

// IPv4 before IPv6: clients of the 4.x line read IPv4 routes only. Link-local IPv6 needs a scope
// and is no use.
const InterfaceAddress* FirstUsable(const std::vector<InterfaceAddress>& interfaces, bool bridges) {
  for (const bool v6 : {false, true}) {
    for (const InterfaceAddress& at : interfaces) {
      const bool link_local = v6 && at.address.starts_with("fe80:");
      if (at.v6 == v6 && !at.loopback && !link_local &&
          IsContainerBridge(at.interface) == bridges) {
        return &at;
      }
    }
  }
  return nullptr;
}

std::string HostOf(const std::string& host_port) {
  const Result<HostPort> parsed = ParseHostPort(host_port);
  return parsed.ok() ? parsed->host : host_port;
}

Advertised ChooseFrom(const AdvertiseInput& input) {
  if (!input.broker_ip.empty()) return {input.broker_ip, "brokerIP1 says so", {}};
  if (!IsWildcard(input.bind_address)) {
    return {input.bind_address, "the broker listens on it alone (bindAddress)", {}};
  }
  for (const std::string& name_server : input.name_servers) {
    const std::string host = HostOf(name_server);
    if (IsLoopbackHost(host)) continue;
    const Result<std::string> local = input.local_address_towards(host);
    if (!local.ok() || IsLoopbackHost(*local)) continue;
    Advertised chosen{*local, fmt::format("it is the way to name server {}", name_server), {}};
    const InterfaceAddress* at = FindAddress(input.interfaces, *local);
    if (at != nullptr && IsContainerBridge(at->interface)) {
      chosen.warnings.push_back(
          fmt::format("{} belongs to the container bridge {}: clients outside of it cannot reach "
                      "this broker; set brokerIP1",
                      *local, at->interface));
    }
    return chosen;
  }
  if (const InterfaceAddress* at = FirstUsable(input.interfaces, false)) {
    return {at->address, fmt::format("the first address of {}", at->interface), {}};
  }
  if (const InterfaceAddress* at = FirstUsable(input.interfaces, true)) {
    return {
        at->address,
        fmt::format("the only address left, of {}", at->interface),
        {fmt::format("{} belongs to the container bridge {}: clients outside of it cannot reach "
                     "this broker; set brokerIP1",
                     at->address, at->interface)}};
  }
  return {"127.0.0.1",
          "this machine has no other address",
          {"only clients on this machine can reach the broker at 127.0.0.1; set brokerIP1"}};
}

}  // namespace

bool IsLoopbackHost(const std::string& host) {
  return host == "localhost" || host == "::1" || host.starts_with("127.");
}

bool IsContainerBridge(const std::string& interface_name) {
  static constexpr std::array<std::string_view, 9> kPrefixes = {
      "docker", "br-", "virbr", "veth", "cni", "podman", "lxcbr", "lxdbr", "flannel"};
  return std::ranges::any_of(
      kPrefixes, [&](std::string_view prefix) { return interface_name.starts_with(prefix); });
}

Result<Advertised> ChooseAdvertised(const AdvertiseInput& input) {
  Advertised chosen = ChooseFrom(input);
  if (!IsLoopbackHost(chosen.address)) return chosen;
  for (const std::string& name_server : input.name_servers) {
    if (!IsLoopbackHost(HostOf(name_server))) {
      return Fail(ErrorCode::kInvalidArgument,
                  fmt::format("the broker would advertise {} ({}) to name server {}, which is on "
                              "another machine: its clients would be led to themselves; set "
                              "brokerIP1 to an address they can reach",
                              chosen.address, chosen.reason, name_server));
    }
  }
  return chosen;
}

}  // namespace apogee
