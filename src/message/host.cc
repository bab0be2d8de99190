#include "message/host.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <charconv>

namespace apogee {
namespace {

Result<std::int32_t> ParsePort(std::string_view text) {
  std::int32_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc() || end != text.data() + text.size() || port < 0 || port > 65535) {
    return Fail(ErrorCode::kInvalidArgument, fmt::format("no port: '{}'", text));
  }
  return port;
}

}  // namespace

Result<Host> Host::Parse(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) {
    return Fail(ErrorCode::kInvalidArgument, fmt::format("address without port: '{}'", text));
  }
  Host host;
  AP_TRY(host.port, ParsePort(text.substr(colon + 1)));
  std::string_view ip = text.substr(0, colon);
  if (ip.size() >= 2 && ip.front() == '[' && ip.back() == ']') {
    ip = ip.substr(1, ip.size() - 2);
    host.v6 = true;
  }
  // inet_pton wants an end byte and takes no scope suffix.
  if (inet_pton(host.v6 ? AF_INET6 : AF_INET, std::string(ip).c_str(), host.ip.data()) != 1) {
    return Fail(ErrorCode::kInvalidArgument, fmt::format("no IP address with port: '{}'", text));
  }
  return host;
}

std::string Host::ToString() const {
  char text[INET6_ADDRSTRLEN] = {};
  inet_ntop(v6 ? AF_INET6 : AF_INET, ip.data(), text, sizeof(text));
  return v6 ? fmt::format("[{}]:{}", text, port) : fmt::format("{}:{}", text, port);
}

}  // namespace apogee
