// A blocking TCP socket for tests: the other side of what is under test, sharing none of its code.
// Every wait has a deadline. Threads: one.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace apogee {

class PlainSocket {
 public:
  // Connected to 127.0.0.1:`port`; connected() tells.
  explicit PlainSocket(std::uint16_t port);
  // A small receive buffer makes the other side meet back-pressure early.
  PlainSocket(std::uint16_t port, int receive_buffer_bytes);
  ~PlainSocket();
  PlainSocket(PlainSocket&& other) noexcept;
  PlainSocket(const PlainSocket&) = delete;

  bool connected() const { return descriptor_ >= 0; }
  // All of it, or false.
  bool Write(std::string_view bytes);
  // What fits without waiting; how many bytes that were.
  std::size_t WriteSome(std::string_view bytes);
  // Exactly `count` bytes, or fewer when the peer ended or the time is up.
  std::string Read(std::size_t count, std::chrono::milliseconds limit = kLimit);
  // True when the peer ends the connection (EOF or reset) within the time; what comes before is
  // dropped.
  bool AwaitEnd(std::chrono::milliseconds limit = kLimit);
  // Says that nothing more is written.
  void EndWriting();
  // Closes with a reset instead of an end.
  void Reset();
  void Close();

  static constexpr std::chrono::milliseconds kLimit{10'000};

 private:
  int descriptor_ = -1;
};

void PauseForPoll();

// Polls until `condition` holds; false when the time is up first.
template <typename Condition>
bool Eventually(Condition condition, std::chrono::milliseconds limit = PlainSocket::kLimit) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    PauseForPoll();
  }
  return true;
}

}  // namespace apogee
