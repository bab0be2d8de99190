#include "remoting/server_channel.h"

#include <utility>

#include "base/check.h"
#include "protocol/response_code.h"

namespace apogee {
namespace {

// Pieces of a body below this are copied: cheaper than a vector of their own.
constexpr std::size_t kCopiedPieceMax = 2048;
// What a header may need beside the body in the largest frame.
constexpr std::size_t kHeaderRoom = 64 * 1024;

// The command being decoded, one a loop: its memory is used again for every request, and idle
// connections hold none.
Command& DecodedCommand() {
  thread_local Command command;
  return command;
}

}  // namespace

ServerChannel::ServerChannel(std::shared_ptr<ServerState> state,
                             std::shared_ptr<Connection> connection)
    : state_(std::move(state)), connection_(std::move(connection)) {
  connection_->SetIdleLimit(state_->options.idle_limit);
  // Told whenever a quarter is left, not only after the limit was met: together with unanswered
  // requests less output may have held reading back.
  const std::size_t quarter = state_->options.in_flight_bytes_max / 4;
  connection_->SetWaterMarks(quarter, quarter + 1);
}

std::size_t ServerChannel::OnBytes(Connection& connection, std::string_view input) {
  const std::int64_t now_ns = state_->clock.MonotonicNs();
  std::size_t used = 0;
  wanted_ = 0;
  while (used < input.size() && !connection.closed()) {
    if (in_flight_bytes() > state_->options.in_flight_bytes_max || draining_) {
      held_back_ = !draining_;
      connection.PauseReading();
      break;
    }
    const std::string_view rest = input.substr(used);
    const FrameScan scan = ScanFrame(rest);
    if (scan.state == FrameScan::State::kNeedMore) {
      wanted_ = scan.bytes;
      break;
    }
    if (scan.state != FrameScan::State::kWhole) {
      if (scan.state == FrameScan::State::kForeign) {
        state_->WarnForeign(scan.what, peer());
      } else {
        state_->WarnMalformed(scan.what, peer());
      }
      connection.Close(Connection::CloseMode::kAfterFlush);
      break;
    }
    if (!TakeFrame(rest.substr(0, scan.bytes), now_ns)) {
      connection.Close(Connection::CloseMode::kAfterFlush);
      break;
    }
    used += scan.bytes;
  }
  return used;
}

bool ServerChannel::TakeFrame(std::string_view frame, std::int64_t now_ns) {
  Command& command = DecodedCommand();
  if (const Status status = DecodeCommand(frame, &command); !status.ok()) {
    state_->WarnMalformed(status.error().message(), peer());
    return false;
  }
  if (command.is_response()) return true;  // To a request of ours, all of which are one-way.
  language_.store(command.language, std::memory_order_relaxed);
  version_.store(command.version, std::memory_order_relaxed);
  form_.store(command.form, std::memory_order_relaxed);

  ++unanswered_;
  unanswered_bytes_ += frame.size();
  const auto self = std::static_pointer_cast<ServerChannel>(shared_from_this());
  const std::shared_ptr<Channel> channel = self;
  state_->handler.Handle({.command = command, .channel = channel, .received_ns = now_ns},
                         Responder(self, command, frame.size()));
  return true;
}

void ServerChannel::OnDrained(Connection&) {
  ResumeIfRelieved();
}

void ServerChannel::ResumeIfRelieved() {
  if (!held_back_ || draining_) return;
  if (in_flight_bytes() > state_->options.in_flight_bytes_max / 2) return;
  held_back_ = false;
  connection_->ResumeReading();
}

void ServerChannel::StopReading() {
  draining_ = true;
  connection_->PauseReading();
}

void ServerChannel::OnClose(Connection&) {
  closed_.store(true, std::memory_order_release);
  state_->handler.OnChannelClosed(shared_from_this());
  state_->Remove(id());
}

void ServerChannel::Close() {
  if (closed()) return;
  const auto self = std::static_pointer_cast<ServerChannel>(shared_from_this());
  loop().Post([self] { self->connection_->Close(Connection::CloseMode::kAfterFlush); });
}

void ServerChannel::SendOneway(Command command, std::string body) {
  if (closed()) return;
  command.opaque = next_opaque_.fetch_add(1, std::memory_order_relaxed);
  command.flag = kFlagOneway;
  command.version = kOurVersion;
  command.form = form();
  command.body = body;
  Posted posted;
  posted.is_frame = true;
  EncodeCommand(command, &posted.frame);
  PostOut(std::move(posted));
}

void ServerChannel::Send(std::int32_t opaque, HeaderForm form, std::size_t request_bytes,
                         bool oneway, Reply&& reply) {
  if (closed()) return;
  if (loop().InLoop()) {
    // A notice that a request led to goes out before its answer, as with Apache's servers: a
    // consumer hears of the change in its group before its heartbeat is answered.
    if (any_posted_.load(std::memory_order_acquire)) RunPosted();
    Answer(opaque, form, request_bytes, oneway, std::move(reply));
    return;
  }
  Posted posted;
  posted.opaque = opaque;
  posted.form = form;
  posted.request_bytes = request_bytes;
  posted.oneway = oneway;
  posted.reply = std::move(reply);
  PostOut(std::move(posted));
}

void ServerChannel::PostOut(Posted posted) {
  bool first = false;
  {
    MutexLock lock(mu_);
    first = posted_.empty();
    posted_.push_back(std::move(posted));
    any_posted_.store(true, std::memory_order_release);
  }
  if (!first) return;
  const auto self = std::static_pointer_cast<ServerChannel>(shared_from_this());
  loop().Post([self] { self->RunPosted(); });
}

void ServerChannel::RunPosted() {
  std::vector<Posted> batch;
  {
    MutexLock lock(mu_);
    batch.swap(posted_);
    any_posted_.store(false, std::memory_order_release);
  }
  for (Posted& posted : batch) {
    if (!posted.is_frame) {
      Answer(posted.opaque, posted.form, posted.request_bytes, posted.oneway,
             std::move(posted.reply));
    } else if (!connection_->closed()) {
      connection_->out().append(posted.frame);
      connection_->Flush();
    }
  }
}

void ServerChannel::Answer(std::int32_t opaque, HeaderForm form, std::size_t request_bytes,
                           bool oneway, Reply&& reply) {
  AP_CHECK(unanswered_ > 0 && unanswered_bytes_ >= request_bytes);
  --unanswered_;
  unanswered_bytes_ -= request_bytes;
  if (connection_->closed()) return;
  if (!oneway) WriteReply(opaque, form, std::move(reply));
  ResumeIfRelieved();
}

void ServerChannel::WriteReply(std::int32_t opaque, HeaderForm form, Reply&& reply) {
  std::size_t more_bytes = 0;
  for (const PinnedBytes& piece : reply.more_body) more_bytes += piece.bytes.size();
  if (reply.body.size() + more_bytes + kHeaderRoom > kFrameBytesMax) {
    reply = Reply::Of(ResponseCode::kSystemError,
                      "the answer of " + std::to_string(reply.body.size() + more_bytes) +
                          " bytes does not fit a frame of 16 MiB; ask for less");
    more_bytes = 0;
  }

  Command command;
  command.code = reply.code;
  command.version = kOurVersion;
  command.opaque = opaque;
  command.flag = kFlagResponse;
  command.remark = reply.remark;
  command.has_fields = reply.with_fields || !reply.fields.empty();
  command.fields = std::move(reply.fields);
  command.body = reply.body;
  command.form = form;
  std::string& out = connection_->out();
  EncodeCommand(command, &out, more_bytes);
  for (PinnedBytes& piece : reply.more_body) {
    if (piece.bytes.size() < kCopiedPieceMax) {
      out.append(piece.bytes);
    } else {
      connection_->SendPinned(piece.bytes, std::move(piece.pin));
    }
  }
  connection_->Flush();
}

}  // namespace apogee
