#include "net/local_address.h"

#include <arpa/inet.h>
#include <fmt/core.h>
#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <memory>

namespace apogee {
namespace {

struct Socket {
  int fd = -1;
  explicit Socket(int f) : fd(f) {}
  ~Socket() {
    if (fd >= 0) ::close(fd);
  }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
};

std::string AddressText(const sockaddr_storage& address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  const void* ip =
      address.ss_family == AF_INET6
          ? static_cast<const void*>(&reinterpret_cast<const sockaddr_in6*>(&address)->sin6_addr)
          : &reinterpret_cast<const sockaddr_in*>(&address)->sin_addr;
  ::inet_ntop(address.ss_family, ip, text.data(), text.size());
  return text.data();
}

}  // namespace

Result<std::string> LocalAddressTowards(const std::string& host) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_DGRAM;
  addrinfo* found = nullptr;
  // Any port: a datagram socket's connect() only looks up the route.
  if (const int error = ::getaddrinfo(host.c_str(), "9", &hints, &found); error != 0) {
    return Fail(ErrorCode::kUnavailable, fmt::format("{}: {}", host, ::gai_strerror(error)));
  }
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(found, &::freeaddrinfo);
  for (const addrinfo* at = found; at != nullptr; at = at->ai_next) {
    const Socket socket(::socket(at->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    if (socket.fd < 0 || ::connect(socket.fd, at->ai_addr, at->ai_addrlen) != 0) continue;
    sockaddr_storage local{};
    socklen_t size = sizeof(local);
    if (::getsockname(socket.fd, reinterpret_cast<sockaddr*>(&local), &size) != 0) continue;
    return AddressText(local);
  }
  return Fail(ErrorCode::kUnavailable, fmt::format("no route to {}", host));
}

}  // namespace apogee
