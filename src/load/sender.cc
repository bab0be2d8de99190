#include "load/sender.h"

#include <algorithm>
#include <utility>

#include "env/clock.h"
#include "protocol/response_code.h"

namespace apogee {
namespace {

constexpr std::chrono::milliseconds kConnectTimeout{3000};
constexpr std::int64_t kReconnectNs = 100'000'000;

}  // namespace

Sender::Sender(EventLoop& loop, Plan plan, SendFrames frames, RunTotals& totals)
    : loop_(loop), plan_(std::move(plan)), frames_(std::move(frames)), totals_(totals) {
  const auto slots = static_cast<std::uint32_t>(plan_.in_flight);
  due_ns_.resize(slots);
  for (std::uint32_t slot = slots; slot > 0; --slot) free_.push_back(slot - 1);
}

void Sender::Connect(Connected connected) {
  Dial(
      loop_, plan_.target.host, plan_.target.port, kConnectTimeout,
      [self = shared_from_this()](const std::shared_ptr<Connection>&) { return self; },
      [self = shared_from_this(),
       connected = std::move(connected)](Result<std::shared_ptr<Connection>> dialled) mutable {
        if (!dialled.ok()) {
          connected(std::unexpected(dialled.error()));
          return;
        }
        self->connection_ = *dialled;
        self->wanted_ = 0;
        connected(Ok());
      });
}

void Sender::Begin(std::int64_t start_ns, std::int64_t end_ns) {
  start_ns_ = start_ns;
  end_ns_ = end_ns;
  Wake(std::max<std::int64_t>(start_ns - SystemClock().MonotonicNs(), 0));
}

std::int64_t Sender::NextDue(std::int64_t now_ns) const {
  if (plan_.interval_ns <= 0) return now_ns;
  return start_ns_ + plan_.phase_ns +
         static_cast<std::int64_t>(plan_.interval_ns * static_cast<double>(sent_));
}

void Sender::Wake(std::int64_t in_ns) {
  if (timer_set_) return;
  timer_set_ = true;
  loop_.RunAfter(std::chrono::nanoseconds(in_ns), [weak = weak_from_this()] {
    const auto self = weak.lock();
    if (self == nullptr) return;
    self->timer_set_ = false;
    self->Pump(SystemClock().MonotonicNs());
    if (self->connection_ != nullptr) self->connection_->Flush();
  });
}

void Sender::Pump(std::int64_t now_ns) {
  if (ended_ || start_ns_ == 0 || now_ns < start_ns_ || connection_ == nullptr) return;
  while (!free_.empty() && (plan_.quota == 0 || sent_ < plan_.quota)) {
    const std::int64_t due = NextDue(now_ns);
    if (due >= end_ns_) return;
    if (due > now_ns) {
      Wake(due - now_ns);
      return;
    }
    const std::uint32_t slot = free_.back();
    free_.pop_back();
    due_ns_[slot] = due;
    ++sent_;
    frames_.AppendNext(slot, due, &connection_->out());
  }
}

bool Sender::done() const {
  if (ended_) return true;
  if (open() > 0 || start_ns_ == 0) return false;
  if (plan_.quota != 0 && sent_ >= plan_.quota) return true;
  return NextDue(SystemClock().MonotonicNs()) >= end_ns_;
}

std::size_t Sender::OnBytes(Connection& connection, std::string_view input) {
  const std::int64_t now_ns = SystemClock().MonotonicNs();
  std::size_t used = 0;
  wanted_ = 0;
  while (used < input.size()) {
    const FrameScan scan = ScanFrame(input.substr(used));
    if (scan.state == FrameScan::State::kNeedMore) {
      wanted_ = scan.bytes;
      break;
    }
    if (scan.state != FrameScan::State::kWhole) {
      connection.Close(Connection::CloseMode::kNow);
      return used;
    }
    TakeAnswer(input.substr(used, scan.bytes), now_ns);
    used += scan.bytes;
  }
  Pump(now_ns);
  return used;
}

void Sender::TakeAnswer(std::string_view frame, std::int64_t now_ns) {
  if (!DecodeCommand(frame, &answer_).ok() || !answer_.is_response()) return;
  const std::int64_t slot = std::int64_t{answer_.opaque} - SendFrames::kFirstOpaque;
  if (slot < 0 || slot >= plan_.in_flight || due_ns_[static_cast<std::size_t>(slot)] == 0) return;
  std::int64_t& due = due_ns_[static_cast<std::size_t>(slot)];
  if (answer_.code == ResponseCode::kSuccess) {
    totals_.sent.latency.Record(now_ns - due);
    ++totals_.sent.completed;
    totals_.last_ns = now_ns;
  } else {
    ++totals_.sent.errors[answer_.code];
  }
  due = 0;
  free_.push_back(static_cast<std::uint32_t>(slot));
}

void Sender::FailOpen(std::int32_t error) {
  for (std::uint32_t slot = 0; slot < due_ns_.size(); ++slot) {
    if (std::exchange(due_ns_[slot], 0) == 0) continue;
    ++totals_.sent.errors[error];
    free_.push_back(slot);
  }
}

void Sender::OnClose(Connection& connection) {
  if (connection_.get() != &connection) return;
  connection_.reset();
  FailOpen(kErrorConnectionLost);
  if (ended_) return;
  loop_.RunAfter(std::chrono::nanoseconds(kReconnectNs), [weak = weak_from_this()] {
    const auto self = weak.lock();
    if (self == nullptr || self->ended_) return;
    self->Connect([self](const Status& status) {
      if (status.ok()) {
        self->Wake(0);
      } else {
        ++self->totals_.sent.errors[kErrorConnectionLost];
      }
    });
  });
}

void Sender::End() {
  if (ended_) return;
  FailOpen(kErrorNoAnswer);
  // What was due and could not even be sent did not succeed either.
  if (plan_.interval_ns > 0 && start_ns_ != 0) {
    const std::int64_t until = std::min(end_ns_, SystemClock().MonotonicNs());
    while ((plan_.quota == 0 || sent_ < plan_.quota) && NextDue(0) < until) {
      ++sent_;
      ++totals_.sent.errors[kErrorNoAnswer];
    }
  }
  ended_ = true;
  if (const auto connection = std::exchange(connection_, nullptr)) {
    connection->Close(Connection::CloseMode::kNow);
  }
}

}  // namespace apogee
