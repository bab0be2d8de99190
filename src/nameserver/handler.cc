#include "nameserver/handler.h"

#include <utility>

#include "protocol/client_version.h"
#include "protocol/name_lists.h"
#include "protocol/request_code.h"
#include "protocol/response_code.h"

namespace apogee {
namespace {

// Requests that wait for one write at most; more are refused, not queued.
constexpr std::size_t kWaitingMax = 10'000;
constexpr std::string_view kDisabled = "disable";

Reply Body(std::string body) {
  Reply reply;
  reply.body = std::move(body);
  return reply;
}

Reply Topics(std::vector<std::string> topics) {
  return Body(TopicList{.topics = std::move(topics), .broker_addr = {}}.Encode());
}

// An absent field as Apache's texts show it.
std::string TextOrNull(const Fields& fields, std::string_view name) {
  return std::string(fields.Text(name, "null"));
}

bool ChangesDisk(std::int32_t code) {
  return code == RequestCode::kPutKvConfig || code == RequestCode::kDeleteKvConfig ||
         code == RequestCode::kUpdateNamesrvConfig;
}

}  // namespace

NameServerHandler::NameServerHandler(NameServerConfig& config, KvConfig& kv, RouteTable& routes,
                                     Clock& clock, TellBrokers tell,
                                     std::function<void()> wake_save)
    : config_(config),
      kv_(kv),
      routes_(routes),
      clock_(clock),
      tell_(std::move(tell)),
      wake_save_(std::move(wake_save)),
      started_ms_(clock.MonotonicMs()) {}

NameServerHandler::~NameServerHandler() = default;

void NameServerHandler::Handle(const Request& request, Responder responder) {
  Reply reply = Answer(request);
  if (ChangesDisk(request.command.code) && reply.code == ResponseCode::kSuccess) {
    ReplyWhenSaved(std::move(responder), std::move(reply));
    return;
  }
  responder.Send(std::move(reply));
}

Reply NameServerHandler::Answer(const Request& request) {
  const Command& command = request.command;
  switch (command.code) {
    case RequestCode::kPutKvConfig:
      return PutKv(command);
    case RequestCode::kGetKvConfig:
      return GetKv(command);
    case RequestCode::kDeleteKvConfig:
      kv_.Delete(command.fields.Text("namespace"), command.fields.Text("key"));
      return {};
    case RequestCode::kGetKvlistByNamespace:
      return ListKv(command);
    case RequestCode::kRegisterBroker:
      return RegisterBroker(request);
    case RequestCode::kUnregisterBroker:
      return UnregisterBroker(command);
    case RequestCode::kQueryDataVersion:
      return QueryDataVersion(command);
    case RequestCode::kBrokerHeartbeat:
      return Heartbeat(command);
    case RequestCode::kGetBrokerMemberGroup:
      return GetMembers(command);
    case RequestCode::kGetRouteinfoByTopic:
      return GetRoute(command);
    case RequestCode::kGetBrokerClusterInfo:
      return Body(routes_.Cluster().Encode());
    case RequestCode::kWipeWritePermOfBroker: {
      Reply reply;
      reply.fields.AddInt("wipeTopicCount",
                          routes_.WipeWritePerm(command.fields.Text("brokerName")));
      return reply;
    }
    case RequestCode::kAddWritePermOfBroker: {
      Reply reply;
      reply.fields.AddInt("addTopicCount", routes_.AddWritePerm(command.fields.Text("brokerName")));
      return reply;
    }
    case RequestCode::kDeleteTopicInNamesrv:
      return DeleteTopic(command);
    case RequestCode::kRegisterTopicInNamesrv:
      return RegisterTopic(command);
    case RequestCode::kGetAllTopicListFromNameserver:
    case RequestCode::kGetTopicsByCluster:
    case RequestCode::kGetUnitTopicList:
    case RequestCode::kGetHasUnitSubTopicList:
    case RequestCode::kGetHasUnitSubUnunitTopicList:
      return TopicListOf(command);
    case RequestCode::kGetSystemTopicListFromNs:
      return SystemTopics();
    case RequestCode::kUpdateNamesrvConfig:
      return UpdateConfig(command);
    case RequestCode::kGetNamesrvConfig:
      return Body(config_.Text());
    default:
      return Reply::Of(ResponseCode::kRequestCodeNotSupported,
                       " request type " + std::to_string(command.code) + " not supported");
  }
}

Reply NameServerHandler::PutKv(const Command& command) {
  const auto name_space = command.fields.Find("namespace");
  const auto key = command.fields.Find("key");
  if (!name_space || !key) {
    return Reply::Of(ResponseCode::kSystemError, "namespace or key is null");
  }
  const Status put = kv_.Put(*name_space, *key, command.fields.Text("value"));
  return put.has_value() ? Reply() : Reply::Of(ResponseCode::kSystemError, put.error().message());
}

Reply NameServerHandler::GetKv(const Command& command) const {
  const auto value = kv_.Get(command.fields.Text("namespace"), command.fields.Text("key"));
  Reply reply;
  reply.with_fields = true;
  if (value) {
    reply.fields.Add("value", *value);
    return reply;
  }
  reply.code = ResponseCode::kQueryNotFound;
  reply.remark = "No config item, Namespace: " + TextOrNull(command.fields, "namespace") +
                 " Key: " + TextOrNull(command.fields, "key");
  return reply;
}

Reply NameServerHandler::ListKv(const Command& command) const {
  auto table = kv_.List(command.fields.Text("namespace"));
  if (!table) {
    return Reply::Of(ResponseCode::kQueryNotFound,
                     "No config item, Namespace: " + TextOrNull(command.fields, "namespace"));
  }
  return Body(KvTable{.table = std::move(*table)}.Encode());
}

Reply NameServerHandler::GetRoute(const Command& command) const {
  const NameServerOptions options = config_.Options();
  if (options.need_wait_for_service &&
      clock_.MonotonicMs() - started_ms_ < std::int64_t{options.wait_seconds_for_service} * 1000) {
    return Reply::Of(ResponseCode::kSystemError, "name server not ready");
  }
  const std::string_view topic = command.fields.Text("topic");
  RouteTable::RouteRules rules{.acting_master = options.support_acting_master, .zone = {}};
  if (command.fields.Bool("__ZONE_MODE", false)) rules.zone = command.fields.Text("__ZONE_NAME");
  auto route = routes_.Route(topic, rules);
  if (!route) {
    return Reply::Of(
        ResponseCode::kTopicNotExist,
        "No topic route info in name server for the topic: " + TextOrNull(command.fields, "topic") +
            "\nSee https://rocketmq.apache.org/docs/bestPractice/06FAQ for further details.");
  }
  if (options.order_message_enable) {
    route->order_topic_conf = kv_.Get(kOrderTopicConfig, topic).value_or("");
  }
  const bool standard = command.version >= kVersionStandardJson ||
                        command.fields.Bool("acceptStandardJsonOnly", false);
  return Body(route->Encode(standard ? JsonKeys::kQuoted : JsonKeys::kBare));
}

Reply NameServerHandler::GetMembers(const Command& command) const {
  return Body(routes_.Members(command.fields.Text("clusterName"), command.fields.Text("brokerName"))
                  .Encode());
}

Reply NameServerHandler::TopicListOf(const Command& command) const {
  const NameServerOptions options = config_.Options();
  if (command.code == RequestCode::kGetAllTopicListFromNameserver) {
    return options.enable_all_topic_list
               ? Topics(routes_.Topics())
               : Reply::Of(ResponseCode::kSystemError, std::string(kDisabled));
  }
  if (!options.enable_topic_list) {
    return Reply::Of(ResponseCode::kSystemError, std::string(kDisabled));
  }
  if (command.code == RequestCode::kGetTopicsByCluster) {
    return Topics(routes_.TopicsOfCluster(command.fields.Text("cluster")));
  }
  return Topics(routes_.TopicsWithFlags([code = command.code](std::int32_t flags) {
    const bool unit = (flags & kTopicSysFlagUnit) != 0;
    const bool unit_sub = (flags & kTopicSysFlagUnitSub) != 0;
    if (code == RequestCode::kGetUnitTopicList) return unit;
    return unit_sub && (code == RequestCode::kGetHasUnitSubTopicList || !unit);
  }));
}

Reply NameServerHandler::SystemTopics() const {
  TopicList list;
  list.topics = routes_.SystemNames(&list.broker_addr);
  return Body(list.Encode());
}

Reply NameServerHandler::UpdateConfig(const Command& command) {
  return config_.Update(command.body)
             ? Reply()
             : Reply::Of(ResponseCode::kNoPermission, "Can not update config in black list.");
}

void NameServerHandler::ReplyWhenSaved(Responder responder, Reply reply) {
  bool queued = false;
  {
    const MutexLock lock(mu_);
    if (waiting_.size() < kWaitingMax) {
      waiting_.push_back({std::move(responder), std::move(reply)});
      queued = true;
    }
  }
  if (queued) {
    wake_save_();
  } else {
    responder.Send(Reply::Of(ResponseCode::kSystemBusy,
                             "too many changes wait to be written to the name server's disk"));
  }
}

void NameServerHandler::Save() {
  std::vector<Waiting> served;
  {
    const MutexLock lock(mu_);
    served.swap(waiting_);
  }
  Status saved = kv_.Save();
  if (saved.has_value()) saved = config_.Save();
  for (Waiting& one : served) {
    one.responder.Send(saved.has_value()
                           ? std::move(one.reply)
                           : Reply::Of(ResponseCode::kSystemError,
                                       "the change is in force but could not be written: " +
                                           saved.error().message()));
  }
}

}  // namespace apogee
