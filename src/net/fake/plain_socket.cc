#include "net/fake/plain_socket.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <thread>
#include <utility>

namespace apogee {
namespace {

// False when the time is up.
bool AwaitReadable(int descriptor, std::chrono::steady_clock::time_point deadline) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
      deadline - std::chrono::steady_clock::now());
  if (left.count() < 0) return false;
  pollfd entry{.fd = descriptor, .events = POLLIN, .revents = 0};
  return ::poll(&entry, 1, static_cast<int>(left.count())) > 0;
}

}  // namespace

PlainSocket::PlainSocket(std::uint16_t port) : PlainSocket(port, 0) {}

PlainSocket::PlainSocket(std::uint16_t port, int receive_buffer_bytes)
    : descriptor_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  if (receive_buffer_bytes > 0) {
    ::setsockopt(descriptor_, SOL_SOCKET, SO_RCVBUF, &receive_buffer_bytes,
                 sizeof(receive_buffer_bytes));
  }
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(descriptor_, reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0) Close();
}

PlainSocket::~PlainSocket() {
  Close();
}

PlainSocket::PlainSocket(PlainSocket&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)) {}

bool PlainSocket::Write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

std::size_t PlainSocket::WriteSome(std::string_view bytes) {
  const ssize_t count =
      ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  return count > 0 ? static_cast<std::size_t>(count) : 0;
}

std::string PlainSocket::Read(std::size_t count, std::chrono::milliseconds limit) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  std::string bytes;
  while (bytes.size() < count && AwaitReadable(descriptor_, deadline)) {
    std::array<char, 65536> buffer;
    const std::size_t room = std::min(buffer.size(), count - bytes.size());
    const ssize_t got = ::recv(descriptor_, buffer.data(), room, 0);
    if (got <= 0) break;
    bytes.append(buffer.data(), static_cast<std::size_t>(got));
  }
  return bytes;
}

bool PlainSocket::AwaitEnd(std::chrono::milliseconds limit) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  while (AwaitReadable(descriptor_, deadline)) {
    std::array<char, 65536> buffer;
    if (::recv(descriptor_, buffer.data(), buffer.size(), 0) <= 0) return true;
  }
  return false;
}

void PlainSocket::EndWriting() {
  ::shutdown(descriptor_, SHUT_WR);
}

void PlainSocket::Reset() {
  const linger none{.l_onoff = 1, .l_linger = 0};
  ::setsockopt(descriptor_, SOL_SOCKET, SO_LINGER, &none, sizeof(none));
  Close();
}

void PlainSocket::Close() {
  if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
}

void PauseForPoll() {
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

}  // namespace apogee
