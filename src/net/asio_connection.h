// The one implementation of Connection. Private to this room: it shows Asio.
//
// Reads when the socket is readable, into the loop's buffer; only the start of an unfinished frame
// is kept here. So a connection that waits costs its socket and this object.
#pragma once

#include <asio/ip/tcp.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "net/asio_loop.h"
#include "net/connection.h"
#include "net/output_queue.h"
#include "net/tcp.h"

namespace apogee {

class AsioConnection final : public Connection {
 public:
  // `socket` belongs to the loop's context. Threads: any.
  AsioConnection(AsioLoop& loop, asio::ip::tcp::socket socket);

  // On the loop, once: asks for the handler and starts reading. False when the peer has gone again
  // already or there is no handler; the factory may then not have been called.
  bool Start(const HandlerFactory& factory);
  // Called by the loop after AtEndOfRound.
  void EndOfRound();

  // Connection
  std::string& out() override { return output_.text(); }
  void SendPinned(std::string_view bytes, std::shared_ptr<const void> pin) override;
  void Flush() override;
  std::size_t queued_bytes() const override { return output_.bytes(); }
  void SetWaterMarks(std::size_t low, std::size_t high) override;
  void PauseReading() override { paused_ = true; }
  void ResumeReading() override;
  void Close(CloseMode mode) override;
  bool closed() const override { return state_ != State::kOpen; }
  EventLoop& loop() override { return loop_; }
  const std::string& peer() const override { return peer_; }
  const std::string& local() const override { return local_; }
  std::uint64_t id() const override { return id_; }
  void SetIdleLimit(std::chrono::milliseconds limit) override;

 private:
  using Time = std::chrono::steady_clock::time_point;
  enum class State : std::uint8_t {
    kOpen,
    kFlushing,   // Close(kAfterFlush): nothing is read, output_ is being written.
    kLingering,  // All written and the peer told; what it still sends is dropped.
    kClosed,     // The socket is gone.
  };

  std::shared_ptr<AsioConnection> Self();
  void ArmRead();
  void OnReadable();
  // Reads once and offers what is there to the handler.
  void ReadAndDeliver();
  // How much of `input` the handler took.
  std::size_t Deliver(std::string_view input);
  void KeepRest(std::string_view rest);
  void DropInput();
  // kClosed when the peer has ended or the socket failed.
  enum class ReadState { kSome, kNothing, kClosed };
  ReadState Receive(char* into, std::size_t room, std::size_t* received);

  void WriteOut();
  void ArmWrite();
  void OnWritable();
  void Linger();
  void Shut();
  void ArmIdleTimer(std::chrono::milliseconds delay);

  AsioLoop& loop_;
  const std::uint64_t id_;
  std::string peer_;   // Constant after construction.
  std::string local_;  // Constant after construction.

  // On the loop.
  std::optional<asio::ip::tcp::socket> socket_;  // Empty once closed: the loop may end before us.
  int descriptor_ = -1;
  std::shared_ptr<ConnectionHandler> handler_;
  State state_ = State::kOpen;
  bool paused_ = false;
  bool read_armed_ = false;
  bool write_armed_ = false;
  bool in_handler_ = false;     // Output waits for the end of the running call.
  bool round_pending_ = false;  // EndOfRound will be called.
  bool offer_again_ = false;    // Reading was resumed with input left over.
  bool above_high_ = false;
  bool idle_armed_ = false;
  std::string input_;       // Received and not consumed.
  std::size_t wanted_ = 0;  // The handler's last BytesWanted().
  OutputQueue output_;
  std::size_t low_mark_ = 256 * 1024;
  std::size_t high_mark_ = 1024 * 1024;
  std::chrono::milliseconds idle_limit_{0};
  Time last_active_;
};

}  // namespace apogee
