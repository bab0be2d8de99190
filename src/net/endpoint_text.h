// Private to this room: it shows Asio.
#pragma once

#include <asio/ip/tcp.hpp>
#include <string>

namespace apogee {

// "127.0.0.1:40312", "[::1]:40312"; an IPv4 peer of an IPv6 socket looks like any IPv4 peer.
std::string EndpointText(const asio::ip::tcp::endpoint& endpoint);

}  // namespace apogee
