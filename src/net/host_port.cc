#include <charconv>
#include <string_view>

#include "net/endpoint_text.h"
#include "net/tcp.h"

namespace apogee {

std::string EndpointText(const asio::ip::tcp::endpoint& endpoint) {
  const std::string port = std::to_string(endpoint.port());
  if (endpoint.address().is_v4()) return endpoint.address().to_string() + ":" + port;
  const asio::ip::address_v6 v6 = endpoint.address().to_v6();
  if (v6.is_v4_mapped()) {
    return asio::ip::make_address_v4(asio::ip::v4_mapped, v6).to_string() + ":" + port;
  }
  return "[" + v6.to_string() + "]:" + port;
}

Result<HostPort> ParseHostPort(std::string_view text) {
  const auto wrong = [&] {
    return Fail(ErrorCode::kInvalidArgument,
                "\"" + std::string(text) + "\" is no address: host:port or [v6]:port is expected");
  };
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return wrong();
  std::string_view host = text.substr(0, colon);
  const std::string_view digits = text.substr(colon + 1);
  if (host.starts_with('[') && host.ends_with(']')) {
    host = host.substr(1, host.size() - 2);
    asio::error_code invalid;
    asio::ip::make_address_v6(std::string(host), invalid);
    if (invalid) return wrong();
  } else if (host.find(':') != std::string_view::npos) {
    return wrong();  // A bare IPv6 address: where it ends and the port begins is a guess.
  }
  HostPort parsed;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), parsed.port);
  if (host.empty() || error != std::errc() || end != digits.data() + digits.size()) return wrong();
  parsed.host = host;
  return parsed;
}

}  // namespace apogee
