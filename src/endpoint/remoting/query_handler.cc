#include "endpoint/remoting/query_handler.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "broker/pull_service.h"
#include "protocol/json_body.h"
#include "protocol/request_code.h"
#include "protocol/response_code.h"

namespace apogee {
namespace {

// "UPPER" in any case; every other text, and none, is LOWER, as Apache reads it.
TimeBoundary BoundaryOf(std::string_view text) {
  const bool upper = std::ranges::equal(text, std::string_view("upper"), {}, [](char c) {
    return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  });
  return upper ? TimeBoundary::kUpper : TimeBoundary::kLower;
}

Reply With(std::string_view name, std::int64_t value) {
  Reply reply;
  reply.fields.AddInt(name, value);
  return reply;
}

}  // namespace

void QueryHandler::RegisterWith(BrokerHandler& broker) {
  for (const std::int32_t code : {RequestCode::kSearchOffsetByTimestamp, RequestCode::kGetMaxOffset,
                                  RequestCode::kGetMinOffset, RequestCode::kGetEarliestMsgStoretime,
                                  RequestCode::kViewMessageById, RequestCode::kCheckClientConfig}) {
    broker.Register(code, this);
  }
}

void QueryHandler::Handle(const Request& request, Responder responder) {
  Result<Reply> reply = Answer(request.command);
  if (!reply.ok()) {
    return responder.Send(Reply::Of(ResponseCode::kSystemError, reply.error().message()));
  }
  responder.Send(*std::move(reply));
}

Result<Reply> QueryHandler::Answer(const Command& command) const {
  switch (command.code) {
    case RequestCode::kViewMessageById:
      return ViewMessage(command.fields);
    case RequestCode::kCheckClientConfig:
      return CheckClientConfig(command);
    default:
      return QueueAnswer(command);
  }
}

Result<Reply> QueryHandler::QueueAnswer(const Command& command) const {
  const Fields& fields = command.fields;
  AP_TRY(const std::string_view topic, fields.RequireText("topic"));
  AP_TRY(const std::int64_t queue_id, fields.RequireInt("queueId"));
  const QueueRef queue(topic, static_cast<std::int32_t>(queue_id));
  switch (command.code) {
    case RequestCode::kSearchOffsetByTimestamp: {
      AP_TRY(const std::int64_t time_ms, fields.RequireInt("timestamp"));
      AP_TRY(const std::int64_t offset,
             query_.OffsetByTime(queue, time_ms, BoundaryOf(fields.Text("boundaryType"))));
      return With("offset", offset);
    }
    case RequestCode::kGetMaxOffset:
      return With("offset", query_.MaxOffset(queue));
    case RequestCode::kGetMinOffset:
      return With("offset", query_.MinOffset(queue));
    default:
      return With("timestamp", query_.EarliestStoreTimeMs(queue));
  }
}

Result<Reply> QueryHandler::ViewMessage(const Fields& fields) const {
  AP_TRY(const std::int64_t offset, fields.RequireInt("offset"));
  Result<RecordRef> record = query_.MessageAt(LogOffset(offset));
  if (!record.ok()) {
    return Reply::Of(ResponseCode::kSystemError,
                     fmt::format("can not find message by the offset, {}", offset));
  }
  Reply reply;
  reply.more_body.push_back({record->bytes, std::move(record->pin)});
  return reply;
}

// A push consumer asks at start for each subscription that filters by more than tags.
Result<Reply> QueryHandler::CheckClientConfig(const Command& command) {
  if (command.body.empty()) return Reply();
  AP_TRY(const Json body, ParseJsonBody(command.body));
  const std::string type = body["subscriptionData"]["expressionType"].ToText();
  if (auto unsupported = PullService::UnsupportedFilter(type)) {
    return Reply::Of(ResponseCode::kSystemError, *std::move(unsupported));
  }
  return Reply();
}

}  // namespace apogee
