#include "endpoint/remoting/position_handler.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "protocol/field_number.h"
#include "protocol/lock_batch.h"
#include "protocol/request_code.h"
#include "protocol/response_code.h"

namespace apogee {
namespace {

// An absent field, and one that is no number, are both "null" to Apache's header decoder.
template <typename T>
std::optional<T> OptionalNumber(const Fields& fields, std::string_view name) {
  T number = 0;
  const bool read = ReadFieldNumber(fields.Text(name), &number);
  return read ? std::optional(number) : std::nullopt;
}

std::vector<QueueId> QueueIdsOf(const std::vector<MessageQueue>& queues) {
  std::vector<QueueId> ids;
  ids.reserve(queues.size());
  for (const MessageQueue& queue : queues) ids.push_back({queue.topic, queue.queue_id});
  return ids;
}

Reply WithFields(std::int32_t code, std::string remark) {
  Reply reply = Reply::Of(code, std::move(remark));
  reply.with_fields = true;
  return reply;
}

}  // namespace

void PositionHandler::RegisterWith(BrokerHandler& broker) {
  for (const std::int32_t code :
       {RequestCode::kQueryConsumerOffset, RequestCode::kUpdateConsumerOffset,
        RequestCode::kLockBatchMq, RequestCode::kUnlockBatchMq}) {
    broker.Register(code, this);
  }
}

void PositionHandler::Handle(const Request& request, Responder responder) {
  Result<Reply> reply = Answer(request.command);
  if (!reply.ok()) reply = Reply::Of(ResponseCode::kSystemError, reply.error().message());
  responder.Send(*std::move(reply));
}

Result<Reply> PositionHandler::Answer(const Command& command) {
  switch (command.code) {
    case RequestCode::kQueryConsumerOffset:
      return Query(command.fields);
    case RequestCode::kUpdateConsumerOffset:
      return Commit(command.fields);
    case RequestCode::kLockBatchMq:
      return Lock(command.body);
    default:
      return Unlock(command.body);
  }
}

Result<Reply> PositionHandler::Query(const Fields& fields) const {
  AP_TRY(const std::string_view group, fields.RequireText("consumerGroup"));
  AP_TRY(const std::string_view topic, fields.RequireText("topic"));
  const auto queue = OptionalNumber<std::int32_t>(fields, "queueId");
  if (!queue) return BadFieldNumber("queueId", fields.Text("queueId"));
  const Result<std::int64_t> offset =
      positions_.Query(group, topic, *queue, fields.Bool("setZeroIfNotFound", true));
  if (!offset.ok()) return WithFields(ResponseCode::kQueryNotFound, offset.error().message());
  Reply reply;
  reply.fields.AddInt("offset", *offset);
  return reply;
}

Result<Reply> PositionHandler::Commit(const Fields& fields) {
  AP_TRY(const std::string_view group, fields.RequireText("consumerGroup"));
  AP_TRY(const std::string_view topic, fields.RequireText("topic"));
  switch (positions_.Commit(group, topic, OptionalNumber<std::int32_t>(fields, "queueId"),
                            OptionalNumber<std::int64_t>(fields, "commitOffset"))) {
    case ConsumerPositions::CommitOutcome::kOk:
      break;
    case ConsumerPositions::CommitOutcome::kNoGroup:
      return WithFields(ResponseCode::kSubscriptionGroupNotExist,
                        fmt::format("Group {} not exist!", group));
    case ConsumerPositions::CommitOutcome::kNoTopic:
      return WithFields(ResponseCode::kTopicNotExist, fmt::format("Topic {} not exist!", topic));
    case ConsumerPositions::CommitOutcome::kNoQueue:
      return WithFields(ResponseCode::kInvalidParameter,
                        fmt::format("QueueId is null, topic is {}", topic));
    case ConsumerPositions::CommitOutcome::kNoOffset:
      return WithFields(ResponseCode::kInvalidParameter,
                        fmt::format("Offset is null, topic is {}", topic));
  }
  return WithFields(ResponseCode::kSuccess, {});
}

Result<Reply> PositionHandler::Lock(std::string_view body) {
  AP_TRY(const LockBatchRequest request, LockBatchRequest::Parse(body));
  const std::vector<QueueId> held =
      locks_.Lock(request.consumer_group, request.client_id, QueueIdsOf(request.queues));
  std::vector<MessageQueue> answered;
  for (const MessageQueue& queue : request.queues) {
    const bool is_held = std::ranges::any_of(held, [&](const QueueId& id) {
      return id.topic == queue.topic && id.queue == queue.queue_id;
    });
    if (is_held) answered.push_back(queue);
  }
  Reply reply;
  reply.body = EncodeLockBatchResponse(answered);
  return reply;
}

Result<Reply> PositionHandler::Unlock(std::string_view body) {
  AP_TRY(const LockBatchRequest request, LockBatchRequest::Parse(body));
  locks_.Unlock(request.consumer_group, request.client_id, QueueIdsOf(request.queues));
  return Reply();
}

}  // namespace apogee
