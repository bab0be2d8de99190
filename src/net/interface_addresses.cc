#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>

#include <array>

#include "net/tcp.h"

namespace apogee {

std::vector<InterfaceAddress> InterfaceAddresses() {
  std::vector<InterfaceAddress> found;
  ifaddrs* list = nullptr;
  if (::getifaddrs(&list) != 0) return found;
  for (const ifaddrs* at = list; at != nullptr; at = at->ifa_next) {
    if (at->ifa_addr == nullptr || (at->ifa_flags & IFF_UP) == 0) continue;
    const int family = at->ifa_addr->sa_family;
    if (family != AF_INET && family != AF_INET6) continue;
    const void* address =
        family == AF_INET
            ? static_cast<const void*>(&reinterpret_cast<sockaddr_in*>(at->ifa_addr)->sin_addr)
            : &reinterpret_cast<sockaddr_in6*>(at->ifa_addr)->sin6_addr;
    std::array<char, INET6_ADDRSTRLEN> text{};
    if (::inet_ntop(family, address, text.data(), text.size()) == nullptr) continue;
    found.push_back({.interface = at->ifa_name,
                     .address = text.data(),
                     .loopback = (at->ifa_flags & IFF_LOOPBACK) != 0,
                     .v6 = family == AF_INET6});
  }
  ::freeifaddrs(list);
  return found;
}

}  // namespace apogee
