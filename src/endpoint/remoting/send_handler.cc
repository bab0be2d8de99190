#include "endpoint/remoting/send_handler.h"

#include <fmt/core.h>

#include <charconv>
#include <limits>
#include <optional>
#include <utility>

#include "endpoint/remoting/channel_client.h"
#include "endpoint/remoting/outcome_codes.h"
#include "protocol/request_code.h"
#include "protocol/response_code.h"

namespace apogee {
namespace {

// The first client version whose maxReconsumeTimes is believed (3.4.9).
constexpr std::int32_t kVersionWithReconsumeLimit = 121;
// Of a topic made on the way, when the sender names no number: what RocketMQ's clients name.
constexpr std::int32_t kQueuesUnlessGiven = 4;

// The header's fields are spelled out in code 10 and single letters in 310 and 320; 0: not one we
// read.
char LetterOf(std::string_view name) {
  using Name = std::pair<std::string_view, char>;
  static constexpr Name kNames[] = {
      {"topic", 'b'},    {"defaultTopic", 'c'},      {"defaultTopicQueueNums", 'd'},
      {"queueId", 'e'},  {"sysFlag", 'f'},           {"bornTimestamp", 'g'},
      {"flag", 'h'},     {"properties", 'i'},        {"reconsumeTimes", 'j'},
      {"unitMode", 'k'}, {"maxReconsumeTimes", 'l'}, {"batch", 'm'},
  };
  for (const auto& [long_name, letter] : kNames) {
    if (name == long_name) return letter;
  }
  return 0;
}

// Numbers that are none leave the default, as Apache's decoder does.
template <typename T>
void ReadNumber(std::string_view text, T* into) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc{} && end == text.data() + text.size()) *into = value;
}

// One walk over the fields: a look-up each would cost more than all the checks of a send.
Result<SendRequest> Decode(const Request& request, const ChannelClient& client, Clock& clock) {
  const Command& command = request.command;
  const bool long_names = command.code == RequestCode::kSendMessage;
  SendRequest send;
  send.default_queues = kQueuesUnlessGiven;
  bool has_topic = false;
  std::optional<std::string_view> queue_id;
  std::int64_t born_ms = -1;
  std::int32_t max_reconsume_times = -1;
  bool batch = command.code == RequestCode::kSendBatchMessage;
  for (const auto& [name, value] : command.fields) {
    const char letter = long_names ? LetterOf(name) : (name.size() == 1 ? name[0] : char{0});
    switch (letter) {
      case 'b':
        send.topic = value;
        has_topic = true;
        break;
      case 'c':
        send.default_topic = value;
        break;
      case 'd':
        ReadNumber(value, &send.default_queues);
        break;
      case 'e':
        queue_id = value;
        break;
      case 'f':
        ReadNumber(value, &send.sys_flag);
        break;
      case 'g':
        ReadNumber(value, &born_ms);
        break;
      case 'h':
        ReadNumber(value, &send.flag);
        break;
      case 'i':
        send.properties = value;
        break;
      case 'j':
        ReadNumber(value, &send.reconsume_times);
        break;
      case 'k':
        send.unit_mode = value == "true";
        break;
      case 'l':
        ReadNumber(value, &max_reconsume_times);
        break;
      case 'm':
        batch = batch || value == "true";
        break;
      default:
        break;
    }
  }
  if (!has_topic) return Fail(ErrorCode::kInvalidArgument, "the header field topic is missing");
  if (!queue_id) return Fail(ErrorCode::kInvalidArgument, "the header field queueId is missing");
  constexpr std::int32_t kNone = std::numeric_limits<std::int32_t>::min();
  send.queue_id = kNone;
  ReadNumber(*queue_id, &send.queue_id);
  if (send.queue_id == kNone) {
    return Fail(
        ErrorCode::kInvalidArgument,
        fmt::format("the header field queueId is no number: For input string: \"{}\"", *queue_id));
  }
  send.born_time_ms = born_ms >= 0 ? born_ms : clock.WallMs();
  if (command.version >= kVersionWithReconsumeLimit) {
    send.max_reconsume_times = max_reconsume_times;
  }
  send.batch = batch;
  send.body = command.body;
  send.born_host = client.host();
  send.client_address = client.address();
  return send;
}

}  // namespace

void SendHandler::RegisterWith(BrokerHandler& broker) {
  broker.Register(RequestCode::kSendMessage, this);
  broker.Register(RequestCode::kSendMessageV2, this);
  broker.Register(RequestCode::kSendBatchMessage, this);
}

void SendHandler::Handle(const Request& request, Responder responder) {
  const Result<SendRequest> send = Decode(request, ClientOf(request.channel), clock_);
  if (!send.ok()) {
    SendOutcome outcome;
    outcome.status = SendStatus::kFailed;
    outcome.remark = send.error().message();
    return responder.Send(ReplyOf(std::move(outcome)));
  }
  SendOutcome outcome = service_.Send(*send);
  if (responder.oneway()) return responder.Withhold();
  if (!outcome.parked) return responder.Send(ReplyOf(std::move(outcome)));
  service_.AwaitDurable(std::move(outcome),
                        [this, responder = std::move(responder)](SendOutcome durable) mutable {
                          responder.Send(ReplyOf(std::move(durable)));
                        });
}

Reply SendHandler::ReplyOf(SendOutcome outcome) const {
  Reply reply = Reply::Of(ResponseCodeOf(outcome.status), std::move(outcome.remark));
  Fields& fields = reply.fields;
  if (outcome.status == SendStatus::kOk || outcome.status == SendStatus::kFlushTimeout) {
    fields.AddInt("queueId", outcome.queue_id);
    if (!outcome.unique_key.empty()) fields.Add("transactionId", outcome.unique_key);
    fields.Add("msgId", outcome.message_ids);
    fields.AddInt("queueOffset", outcome.queue_offset);
  }
  // The identity outlives every reply.
  fields.AddView("TRACE_ON", identity_.trace_on ? "true" : "false");
  fields.AddView("MSG_REGION", identity_.region);
  return reply;
}

}  // namespace apogee
