#include "endpoint/remoting/membership_handler.h"

#include <fmt/core.h>

#include <utility>

#include "endpoint/remoting/channel_client.h"
#include "protocol/heartbeat.h"
#include "protocol/name_lists.h"
#include "protocol/request_code.h"
#include "protocol/response_code.h"

namespace apogee {
namespace {

ConsumeType FromWire(ConsumerData::Type type) {
  switch (type) {
    case ConsumerData::Type::kActively:
      return ConsumeType::kActively;
    case ConsumerData::Type::kPassively:
      return ConsumeType::kPassively;
    case ConsumerData::Type::kPop:
      return ConsumeType::kPop;
  }
  return ConsumeType::kPassively;
}

MessageModel FromWire(ConsumerData::Model model) {
  return model == ConsumerData::Model::kBroadcasting ? MessageModel::kBroadcasting
                                                     : MessageModel::kClustering;
}

ConsumeFrom FromWire(ConsumerData::From from) {
  switch (from) {
    case ConsumerData::From::kLast:
      return ConsumeFrom::kLast;
    case ConsumerData::From::kLastAndMinAtFirst:
      return ConsumeFrom::kLastAndMinAtFirst;
    case ConsumerData::From::kMin:
      return ConsumeFrom::kMin;
    case ConsumerData::From::kMax:
      return ConsumeFrom::kMax;
    case ConsumerData::From::kFirst:
      return ConsumeFrom::kFirst;
    case ConsumerData::From::kTimestamp:
      return ConsumeFrom::kTimestamp;
  }
  return ConsumeFrom::kLast;
}

ClientHeartbeat FromWire(HeartbeatData data) {
  ClientHeartbeat heartbeat;
  heartbeat.client_id = std::move(data.client_id);
  heartbeat.producer_groups = std::move(data.producer_groups);
  heartbeat.without_subscriptions = data.without_sub;
  for (ConsumerData& consumer : data.consumers) {
    heartbeat.consumers.push_back(
        {.group = std::move(consumer.group),
         .consume_type = FromWire(consumer.type.value_or(ConsumerData::Type::kPassively)),
         .model = FromWire(consumer.model.value_or(ConsumerData::Model::kClustering)),
         .from = FromWire(consumer.from.value_or(ConsumerData::From::kLast)),
         .subscriptions = std::move(consumer.subscriptions),
         .unit_mode = consumer.unit_mode});
  }
  return heartbeat;
}

Reply WithEmptyFields(Reply reply) {
  reply.with_fields = true;
  return reply;
}

}  // namespace

void MembershipHandler::RegisterWith(BrokerHandler& broker) {
  broker.Register(RequestCode::kHeartBeat, this);
  broker.Register(RequestCode::kUnregisterClient, this);
  broker.Register(RequestCode::kGetConsumerListByGroup, this);
  broker.Observe(this);
}

void MembershipHandler::Handle(const Request& request, Responder responder) {
  switch (request.command.code) {
    case RequestCode::kHeartBeat:
      return responder.Send(Heartbeat(request));
    case RequestCode::kUnregisterClient:
      return responder.Send(Unregister(request));
    default:
      return responder.Send(Members(request.command));
  }
}

Reply MembershipHandler::Heartbeat(const Request& request) {
  Result<HeartbeatData> data = HeartbeatData::Parse(request.command.body);
  if (!data.ok()) return Reply::Of(ResponseCode::kSystemError, data.error().message());
  const bool plain = data->fingerprint == 0;
  const bool known =
      heartbeats_.OnHeartbeat(FromWire(*std::move(data)), SharedClientOf(request.channel));
  Reply reply;
  reply.fields.AddBool("IS_SUPPORT_HEART_BEAT_V2", true);
  // To a client of heartbeat V2 "true" means that it has to send its subscriptions (again); from
  // others Apache answers nothing else.
  reply.fields.AddBool("IS_SUB_CHANGE", plain || !known);
  return reply;
}

Reply MembershipHandler::Unregister(const Request& request) {
  const Fields& fields = request.command.fields;
  heartbeats_.OnUnregister(fields.Text("clientID"), fields.Text("producerGroup"),
                           fields.Text("consumerGroup"), ClientOf(request.channel));
  return WithEmptyFields(Reply());
}

Reply MembershipHandler::Members(const Command& command) const {
  const Result<std::string_view> group = command.fields.RequireText("consumerGroup");
  if (!group.ok()) return Reply::Of(ResponseCode::kSystemError, group.error().message());
  const std::vector<std::string> ids = online_.ClientIds(*group);
  if (ids.empty()) {
    return WithEmptyFields(Reply::Of(ResponseCode::kSystemError,
                                     fmt::format("no consumer for this group, {}", *group)));
  }
  Reply reply;
  reply.with_fields = true;
  reply.body = EncodeConsumerIdList(ids);
  return reply;
}

}  // namespace apogee
