// What brokers tell the name server of themselves and their topics.
#include <string>
#include <utility>

#include "base/crc32.h"
#include "base/log.h"
#include "nameserver/handler.h"
#include "protocol/name_lists.h"
#include "protocol/register_broker.h"
#include "protocol/response_code.h"

namespace apogee {
namespace {

Reply Refused(std::string remark) {
  Reply reply = Reply::Of(ResponseCode::kSystemError, std::move(remark));
  reply.with_fields = true;
  return reply;
}

}  // namespace

Reply NameServerHandler::RegisterBroker(const Request& request) {
  const Command& command = request.command;
  const auto header = RegisterBrokerHeader::FromFields(command.fields);
  if (!header.ok()) return Refused(header.error().message());
  if (header->body_crc32 != 0 && header->body_crc32 != BodyCrc(command.body)) {
    return Refused("crc32 not match");
  }
  const auto body = DecodeRegisterBrokerBody(command.body, command.version);
  if (!body.ok()) return Refused(body.error().message());

  const NameServerOptions options = config_.Options();
  RouteTable::Registered registered = routes_.Register(
      *header, *body, options.delete_topic_with_broker_registration, request.channel);
  if (registered.outcome == RouteTable::Outcome::kRefused) return Refused("register broker failed");
  if (registered.change) Tell(*registered.change);

  Reply reply;
  reply.with_fields = true;
  if (!registered.ha_server_addr.empty()) {
    reply.fields.Add("haServerAddr", registered.ha_server_addr);
  }
  if (!registered.master_addr.empty()) reply.fields.Add("masterAddr", registered.master_addr);
  if (options.return_order_topic_config_to_broker) {
    if (auto orders = kv_.List(kOrderTopicConfig)) {
      reply.body = KvTable{.table = std::move(*orders)}.Encode();
    }
  }
  return reply;
}

Reply NameServerHandler::UnregisterBroker(const Command& command) {
  const BrokerHeader broker = BrokerHeader::FromFields(command.fields);
  if (const auto change = routes_.Unregister(broker)) Tell(*change);
  LogInfo("namesrv: broker {} ({}) has unregistered", broker.broker_name, broker.broker_addr);
  return {};
}

Reply NameServerHandler::QueryDataVersion(const Command& command) {
  const BrokerHeader broker = BrokerHeader::FromFields(command.fields);
  routes_.Touch(broker.cluster, broker.broker_addr);
  const auto known = routes_.VersionOf(broker.cluster, broker.broker_addr);
  bool changed = true;
  if (const auto json = Json::Parse(command.body); known && json.ok() && json->is_object()) {
    changed = DataVersion::FromJson(*json) != *known;
  }
  Reply reply;
  reply.fields.AddBool("changed", changed);
  if (known) reply.body = known->ToJson().Dump();
  return reply;
}

Reply NameServerHandler::Heartbeat(const Command& command) {
  const BrokerHeader broker = BrokerHeader::FromFields(command.fields);
  routes_.Touch(broker.cluster, broker.broker_addr);
  return {};
}

Reply NameServerHandler::RegisterTopic(const Command& command) {
  const auto route = TopicRouteData::Parse(command.body);
  if (!route.ok()) return Reply::Of(ResponseCode::kSystemError, route.error().message());
  const std::string_view topic = command.fields.Text("topic");
  if (!topic.empty()) routes_.AddTopic(topic, route->queues);
  return {};
}

Reply NameServerHandler::DeleteTopic(const Command& command) {
  routes_.DeleteTopic(command.fields.Text("topic"), command.fields.Text("clusterName"));
  return {};
}

void NameServerHandler::OnChannelClosed(const std::shared_ptr<Channel>& channel) {
  for (const MinIdChange& change : routes_.OnChannelClosed(channel->id())) Tell(change);
}

void NameServerHandler::Scan() {
  RouteTable::Expired expired = routes_.ExpireSilent();
  for (const auto& channel : expired.channels) {
    LogWarning("namesrv: the broker behind {} has been silent for its timeout and is dropped",
               channel->peer());
    channel->Close();
  }
  for (const MinIdChange& change : expired.changes) Tell(change);
  routes_.Sweep();
}

void NameServerHandler::Tell(const MinIdChange& change) const {
  if (config_.Options().notify_min_broker_id_changed && !change.tell.empty()) tell_(change);
}

}  // namespace apogee
