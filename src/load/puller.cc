#include "load/puller.h"

#include <algorithm>
#include <utility>

#include "env/clock.h"
#include "load/send_frames.h"
#include "message/record.h"
#include "protocol/heartbeat.h"
#include "protocol/pull_header.h"
#include "protocol/request_code.h"
#include "protocol/response_code.h"

namespace apogee {
namespace {

constexpr std::chrono::milliseconds kConnectTimeout{3000};
constexpr std::chrono::seconds kHeartbeatPeriod{30};
constexpr std::chrono::milliseconds kRetryPause{100};
constexpr std::int64_t kHoldMs = 15'000;
constexpr std::int32_t kHeartbeatOpaque = INT32_MAX;

// Bits of a pull's sysFlag.
constexpr std::int32_t kSuspend = 2;
constexpr std::int32_t kWithSubscription = 4;

}  // namespace

Puller::Puller(EventLoop& loop, Plan plan, RunTotals& totals)
    : loop_(loop), plan_(std::move(plan)), totals_(totals), asked_ns_(plan_.sources.size()) {}

void Puller::Connect(Connected connected) {
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
        connected(Ok());
      });
}

void Puller::Begin(std::int64_t, std::int64_t) {
  // At once: reading is ready when the first message is sent.
  if (connection_ == nullptr) return;
  Heartbeat();
  const std::int64_t now_ns = SystemClock().MonotonicNs();
  for (std::size_t i = 0; i < plan_.sources.size(); ++i) Pull(i, now_ns);
  connection_->Flush();
}

void Puller::Heartbeat() {
  if (ended_ || connection_ == nullptr) return;
  HeartbeatData data;
  data.client_id = plan_.client_id;
  ConsumerData consumer;
  consumer.group = plan_.group;
  consumer.type = ConsumerData::Type::kPassively;
  consumer.model = ConsumerData::Model::kClustering;
  consumer.from = ConsumerData::From::kFirst;
  for (const Source& source : plan_.sources) {
    const auto same = [&](const Subscription& one) { return one.topic == source.queue.topic; };
    if (std::ranges::any_of(consumer.subscriptions, same)) continue;
    Subscription subscription;
    subscription.topic = source.queue.topic;
    consumer.subscriptions.push_back(std::move(subscription));
  }
  data.consumers.push_back(std::move(consumer));
  const std::string body = data.Encode();
  Command command;
  command.code = RequestCode::kHeartBeat;
  command.version = kOurVersion;
  command.opaque = kHeartbeatOpaque;
  command.form = plan_.form;
  command.body = body;
  EncodeCommand(command, &connection_->out());
  connection_->Flush();
  loop_.RunAfter(kHeartbeatPeriod, [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->Heartbeat();
  });
}

void Puller::Pull(std::size_t source, std::int64_t now_ns) {
  const Source& from = plan_.sources[source];
  PullHeader header;
  header.consumer_group = plan_.group;
  header.topic = from.queue.topic;
  header.queue_id = from.queue.id;
  header.queue_offset = from.offset;
  header.max_msg_nums = plan_.batch;
  header.sys_flag = kSuspend | kWithSubscription;
  header.suspend_timeout_ms = kHoldMs;
  header.subscription = "*";
  header.expression_type = "TAG";
  Command command;
  command.code = RequestCode::kPullMessage;
  command.version = kOurVersion;
  command.opaque = static_cast<std::int32_t>(source);
  command.form = plan_.form;
  command.has_fields = true;
  header.AddTo(&command.fields);
  EncodeCommand(command, &connection_->out());
  asked_ns_[source] = now_ns;
}

std::size_t Puller::OnBytes(Connection& connection, std::string_view input) {
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
  return used;
}

void Puller::TakeAnswer(std::string_view frame, std::int64_t now_ns) {
  if (ended_ || !DecodeCommand(frame, &answer_).ok() || !answer_.is_response()) return;
  const auto source = static_cast<std::size_t>(answer_.opaque);
  if (answer_.opaque < 0 || source >= plan_.sources.size()) return;  // The heartbeat's.
  switch (answer_.code) {
    case ResponseCode::kSuccess:
      if (plan_.run == 0) totals_.received.latency.Record(now_ns - asked_ns_[source]);
      CountRecords(answer_.body, now_ns);
      [[fallthrough]];
    case ResponseCode::kPullNotFound:
    case ResponseCode::kPullRetryImmediately:
    case ResponseCode::kPullOffsetMoved:
      plan_.sources[source].offset =
          PullResponseHeader::FromFields(answer_.fields).next_begin_offset;
      Pull(source, now_ns);
      return;
    default:
      ++totals_.received.errors[answer_.code];
      loop_.RunAfter(kRetryPause, [weak = weak_from_this(), source] {
        const auto self = weak.lock();
        if (self == nullptr || self->connection_ == nullptr) return;
        self->Pull(source, SystemClock().MonotonicNs());
        self->connection_->Flush();
      });
  }
}

void Puller::CountRecords(std::string_view body, std::int64_t now_ns) {
  while (!body.empty()) {
    const auto record = DecodeRecord(body, CrcCheck::kSkip);
    if (!record.ok()) {
      ++totals_.received.errors[kErrorNoAnswer];
      return;
    }
    body.remove_prefix(record->bytes.size());
    if (plan_.run != 0) {
      const auto stamp = BodyStamp::Read(record->body);
      if (!stamp.has_value() || stamp->run != plan_.run) continue;
      totals_.received.latency.Record(now_ns - stamp->due_ns);
    }
    ++totals_.received.completed;
    totals_.last_ns = now_ns;
  }
}

void Puller::OnClose(Connection& connection) {
  if (connection_.get() != &connection) return;
  connection_.reset();
  lost_ = true;
  if (!ended_) ++totals_.received.errors[kErrorConnectionLost];
}

void Puller::End() {
  ended_ = true;
  if (const auto connection = std::exchange(connection_, nullptr)) {
    connection->Close(Connection::CloseMode::kNow);
  }
}

}  // namespace apogee
