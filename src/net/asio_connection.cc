#include "net/asio_connection.h"

#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/check.h"
#include "net/endpoint_text.h"

namespace apogee {
namespace {

// Input shorter than this is moved through the loop's buffer; longer input (a large frame on its
// way) is read in place behind what is there.
constexpr std::size_t kMovedInputMax = AsioLoop::kReadBufferBytes / 4;
// Memory that an idle connection may keep for its next unfinished frame.
constexpr std::size_t kKeptInputMax = 512;
constexpr std::size_t kVectorsMax = 64;
constexpr std::chrono::milliseconds kCloseLimit{5000};

std::atomic<std::uint64_t> last_id{0};

}  // namespace

AsioConnection::AsioConnection(AsioLoop& loop, asio::ip::tcp::socket socket)
    : loop_(loop),
      id_(last_id.fetch_add(1, std::memory_order_relaxed) + 1),
      socket_(std::move(socket)),
      last_active_(std::chrono::steady_clock::now()) {
  asio::error_code error;
  peer_ = EndpointText(socket_->remote_endpoint(error));
  if (error) peer_.clear();  // Gone already: see Start.
  local_ = EndpointText(socket_->local_endpoint(error));
  socket_->set_option(asio::ip::tcp::no_delay(true), error);
  socket_->non_blocking(true, error);
  descriptor_ = socket_->native_handle();
}

std::shared_ptr<AsioConnection> AsioConnection::Self() {
  return std::static_pointer_cast<AsioConnection>(shared_from_this());
}

bool AsioConnection::Start(const HandlerFactory& factory) {
  if (!peer_.empty()) handler_ = factory(shared_from_this());
  if (handler_ == nullptr) {
    state_ = State::kClosed;
    socket_.reset();
    return false;
  }
  loop_.Adopt(Self());
  if (!output_.empty()) Flush();
  ArmRead();
  return true;
}

void AsioConnection::EndOfRound() {
  round_pending_ = false;
  if (state_ == State::kClosed) {
    // Handler and connection usually hold each other: let go first.
    if (const auto handler = std::move(handler_)) handler->OnClose(*this);
    return;
  }
  if (offer_again_ && !paused_ && state_ == State::kOpen) {
    offer_again_ = false;
    std::string input = std::move(input_);
    input_.clear();
    const std::size_t consumed = Deliver(input);
    if (state_ == State::kOpen && consumed > 0) {
      KeepRest(std::string_view(input).substr(consumed));
    } else if (state_ == State::kOpen) {
      input_ = std::move(input);
    }
  }
  WriteOut();
  ArmRead();
}

void AsioConnection::SendPinned(std::string_view bytes, std::shared_ptr<const void> pin) {
  if (state_ == State::kOpen) output_.AddPinned(bytes, std::move(pin));
}

void AsioConnection::Flush() {
  if (in_handler_ || round_pending_ || state_ == State::kClosed) return;
  round_pending_ = true;
  loop_.AtEndOfRound(Self());
}

void AsioConnection::SetWaterMarks(std::size_t low, std::size_t high) {
  AP_CHECK(low < high);
  low_mark_ = low;
  high_mark_ = high;
}

void AsioConnection::ResumeReading() {
  if (!paused_) return;
  paused_ = false;
  if (in_handler_ || !input_.empty()) offer_again_ = true;
  if (in_handler_) {
    // The end of the call arms reading again; input that it leaves needs another round.
    if (!round_pending_) {
      round_pending_ = true;
      loop_.AtEndOfRound(Self());
    }
    return;
  }
  Flush();
}

void AsioConnection::ArmRead() {
  if (read_armed_) return;
  if (state_ != State::kLingering && (state_ != State::kOpen || paused_)) return;
  read_armed_ = true;
  socket_->async_wait(asio::ip::tcp::socket::wait_read,
                      [self = Self()](const asio::error_code& error) {
                        self->read_armed_ = false;
                        if (!error && self->socket_.has_value()) self->OnReadable();
                      });
}

void AsioConnection::OnReadable() {
  if (state_ == State::kLingering) {
    DropInput();
  } else if (state_ == State::kOpen && !paused_) {
    ReadAndDeliver();
  }
  if (state_ != State::kClosed) ArmRead();
}

AsioConnection::ReadState AsioConnection::Receive(char* into, std::size_t room,
                                                  std::size_t* received) {
  ssize_t count = 0;
  do {
    count = ::recv(descriptor_, into, room, 0);
  } while (count < 0 && errno == EINTR);
  if (count > 0) {
    *received = static_cast<std::size_t>(count);
    return ReadState::kSome;
  }
  if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return ReadState::kNothing;
  return ReadState::kClosed;
}

void AsioConnection::ReadAndDeliver() {
  std::size_t received = 0;
  ReadState read = ReadState::kNothing;
  const bool through_loop_buffer = input_.size() <= kMovedInputMax;
  const std::span<char> buffer = loop_.read_buffer();
  const std::size_t before = input_.size();
  if (through_loop_buffer) {
    read = Receive(buffer.data() + before, buffer.size() - before, &received);
  } else {
    // At most doubles, so that memory follows what has arrived and not what was announced.
    const std::size_t missing = wanted_ > before ? wanted_ - before : 0;
    const std::size_t room = std::clamp(missing, AsioLoop::kReadBufferBytes, before);
    input_.resize_and_overwrite(before + room, [&](char* data, std::size_t) {
      read = Receive(data + before, room, &received);
      return before + received;
    });
  }
  if (read == ReadState::kNothing) return;
  if (read == ReadState::kClosed) {
    Shut();
    return;
  }
  last_active_ = std::chrono::steady_clock::now();

  const std::size_t have = before + received;
  if (through_loop_buffer) {
    std::memcpy(buffer.data(), input_.data(), before);
    const std::string_view input(buffer.data(), have);
    const std::size_t consumed = have >= wanted_ ? Deliver(input) : 0;
    if (state_ == State::kOpen) KeepRest(input.substr(consumed));
  } else if (have >= wanted_) {
    std::string input = std::move(input_);  // A close within the call must not free it.
    input_ = std::string();
    const std::size_t consumed = Deliver(input);
    if (state_ == State::kOpen && consumed > 0) {
      KeepRest(std::string_view(input).substr(consumed));
    } else if (state_ == State::kOpen) {
      input_ = std::move(input);
    }
  }
  WriteOut();
}

std::size_t AsioConnection::Deliver(std::string_view input) {
  output_.TakeMemoryFrom(loop_.spare_output());
  in_handler_ = true;
  const std::size_t consumed = handler_->OnBytes(*this, input);
  wanted_ = handler_->BytesWanted();
  in_handler_ = false;
  AP_CHECK(consumed <= input.size());
  // Resumed during the call with something left over: it is offered at the end of this round.
  if (offer_again_ && consumed == input.size()) offer_again_ = false;
  return consumed;
}

void AsioConnection::KeepRest(std::string_view rest) {
  if (rest.empty() && input_.capacity() > kKeptInputMax) {
    input_ = std::string();
  } else if (input_.capacity() > kMovedInputMax * 2 && rest.size() <= kMovedInputMax) {
    input_ = std::string(rest);
  } else {
    input_.assign(rest);
  }
}

void AsioConnection::DropInput() {
  const std::span<char> buffer = loop_.read_buffer();
  std::size_t received = 0;
  if (Receive(buffer.data(), buffer.size(), &received) == ReadState::kClosed) Shut();
}

void AsioConnection::WriteOut() {
  if (state_ == State::kClosed || write_armed_) return;
  std::array<iovec, kVectorsMax> vectors;
  bool wrote = false;
  while (!output_.empty()) {
    msghdr message{};
    message.msg_iov = vectors.data();
    message.msg_iovlen = output_.Gather(vectors);
    const ssize_t count = ::sendmsg(descriptor_, &message, MSG_NOSIGNAL);
    if (count >= 0) {
      output_.Consume(static_cast<std::size_t>(count));
      wrote = true;
      continue;
    }
    if (errno == EINTR) continue;
    if (errno == EAGAIN || errno == EWOULDBLOCK) {
      ArmWrite();
      break;
    }
    Shut();
    return;
  }
  if (wrote) last_active_ = std::chrono::steady_clock::now();
  if (output_.bytes() > high_mark_) above_high_ = true;
  if (!output_.empty()) return;
  output_.GiveMemoryTo(loop_.spare_output());
  if (state_ == State::kFlushing && !in_handler_) Linger();
}

void AsioConnection::ArmWrite() {
  write_armed_ = true;
  socket_->async_wait(asio::ip::tcp::socket::wait_write,
                      [self = Self()](const asio::error_code& error) {
                        self->write_armed_ = false;
                        if (!error && self->socket_.has_value()) self->OnWritable();
                      });
}

void AsioConnection::OnWritable() {
  WriteOut();
  if (state_ != State::kOpen || !above_high_ || output_.bytes() >= low_mark_) return;
  above_high_ = false;
  in_handler_ = true;
  handler_->OnDrained(*this);
  in_handler_ = false;
  WriteOut();
  if (state_ != State::kClosed) ArmRead();
}

void AsioConnection::Close(CloseMode mode) {
  if (state_ == State::kClosed) return;
  if (mode == CloseMode::kNow) {
    Shut();
    return;
  }
  if (state_ != State::kOpen) return;
  state_ = State::kFlushing;
  input_ = std::string();
  offer_again_ = false;
  loop_.RunAfter(kCloseLimit, [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->Close(CloseMode::kNow);
  });
  Flush();  // Within a call of the handler, its end does the same.
}

void AsioConnection::Linger() {
  // Closing with unread input in the kernel would send a reset, which can overtake our last bytes.
  state_ = State::kLingering;
  ::shutdown(descriptor_, SHUT_WR);
  ArmRead();
}

void AsioConnection::Shut() {
  if (state_ == State::kClosed) return;
  const auto self = Self();
  state_ = State::kClosed;
  output_.Clear();
  input_ = std::string();
  asio::error_code ignored;
  socket_->close(ignored);
  socket_.reset();
  descriptor_ = -1;
  if (!round_pending_) {
    round_pending_ = true;
    loop_.AtEndOfRound(self);
  }
  loop_.Release(id_);
}

void AsioConnection::SetIdleLimit(std::chrono::milliseconds limit) {
  idle_limit_ = limit;
  if (limit.count() > 0 && !idle_armed_) ArmIdleTimer(limit);
}

// One timer a connection, set again only when it fires: activity just notes its time.
void AsioConnection::ArmIdleTimer(std::chrono::milliseconds delay) {
  idle_armed_ = true;
  loop_.RunAfter(delay, [weak = weak_from_this()] {
    const auto connection = weak.lock();
    if (connection == nullptr) return;
    auto& self = static_cast<AsioConnection&>(*connection);
    self.idle_armed_ = false;
    if (self.state_ == State::kClosed || self.idle_limit_.count() <= 0) return;
    const auto quiet = std::chrono::duration_cast<std::chrono::milliseconds>(
        std::chrono::steady_clock::now() - self.last_active_);
    if (quiet >= self.idle_limit_) {
      self.Shut();
    } else {
      self.ArmIdleTimer(self.idle_limit_ - quiet);
    }
  });
}

}  // namespace apogee
