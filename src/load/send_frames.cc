#include "load/send_frames.h"

#include <charconv>

#include "base/bytes.h"
#include "base/check.h"
#include "protocol/request_code.h"
#include "protocol/send_header.h"

namespace apogee {
namespace {

// length 4 | header word 4 | code 2 | language 1 | version 2 | opaque
constexpr std::size_t kBinaryOpaqueAt = 13;

// What stock Java producers add to every message.
constexpr std::string_view kProperties =
    "UNIQ_KEY\x01"
    "7F000001000018B4AAC20000000A0000\x02"
    "WAIT\x01"
    "true\x02";

}  // namespace

std::optional<BodyStamp> BodyStamp::Read(std::string_view body) {
  if (body.size() < kBytes) return std::nullopt;
  return BodyStamp{.run = LoadBigEndian<std::uint64_t>(body.data()),
                   .due_ns = LoadBigEndian<std::int64_t>(body.data() + 8)};
}

SendFrames::SendFrames(const std::vector<TargetQueue>& queues, std::size_t body_bytes,
                       HeaderForm form, const std::string& broker_name, std::int64_t born_time_ms,
                       std::uint64_t run)
    : form_(form), body_bytes_(body_bytes) {
  AP_CHECK(!queues.empty());
  std::string body(body_bytes, 'x');
  if (body_bytes >= BodyStamp::kBytes) StoreBigEndian(body.data(), run);
  for (const TargetQueue& queue : queues) {
    SendHeader header;
    header.producer_group = "ApogeeBenchProducer";
    header.topic = queue.topic;
    header.default_topic = "TBW102";
    header.default_topic_queues = 4;
    header.queue_id = queue.id;
    header.born_time_ms = born_time_ms;
    header.properties = kProperties;
    header.broker_name = broker_name;
    Command command;
    command.code = RequestCode::kSendMessageV2;
    command.version = kOurVersion;
    command.opaque = kFirstOpaque;
    command.form = form;
    command.has_fields = true;
    header.AddTo(&command.fields);
    command.body = body;
    std::string frame;
    EncodeCommand(command, &frame);
    constexpr std::string_view kName = "\"opaque\":";
    opaque_at_.push_back(form == HeaderForm::kBinary ? kBinaryOpaqueAt
                                                     : frame.find(kName) + kName.size());
    frames_.push_back(std::move(frame));
  }
}

void SendFrames::AppendNext(std::uint32_t slot, std::int64_t due_ns, std::string* out) {
  const std::string& frame = frames_[next_];
  const std::size_t opaque_at = opaque_at_[next_];
  next_ = next_ + 1 == frames_.size() ? 0 : next_ + 1;

  out->append(frame);
  char* const start = out->data() + out->size() - frame.size();
  const std::int32_t opaque = kFirstOpaque + static_cast<std::int32_t>(slot);
  if (form_ == HeaderForm::kBinary) {
    StoreBigEndian(start + opaque_at, opaque);
  } else {
    std::to_chars(start + opaque_at, start + opaque_at + 10, opaque);
  }
  if (body_bytes_ >= BodyStamp::kBytes) {
    StoreBigEndian(start + frame.size() - body_bytes_ + 8, due_ns);
  }
}

}  // namespace apogee
