#include "endpoint/remoting/topic_admin_handler.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "broker/topic_attributes.h"
#include "endpoint/remoting/config_page.h"
#include "protocol/config_tables.h"
#include "protocol/field_number.h"
#include "protocol/name_lists.h"
#include "protocol/request_code.h"
#include "protocol/response_code.h"
#include "protocol/topic_stats.h"

namespace apogee {
namespace {

// A request that cannot be read is RocketMQ's SYSTEM_ERROR, one that asks for what may not be its
// INVALID_PARAMETER.
std::unexpected<Error> Unreadable(std::string message) {
  return Fail(ErrorCode::kUnsupported, std::move(message));
}

Result<std::int32_t> RequiredNumber(const Fields& fields, std::string_view name) {
  const std::optional<std::string_view> text = fields.Find(name);
  if (!text) return Unreadable(MissingField(name).error().message());
  std::int32_t number = 0;
  if (!ReadFieldNumber(*text, &number)) {
    return Unreadable(BadFieldNumber(name, *text).error().message());
  }
  return number;
}

}  // namespace

TopicAdminHandler::TopicAdminHandler(TopicAdmin& admin, TopicTable& topics,
                                     const MessageStore& store, const BrokerIdentity& identity,
                                     WorkPool& pool)
    : PooledHandler(pool), admin_(admin), topics_(topics), store_(store), identity_(identity) {}

void TopicAdminHandler::RegisterWith(BrokerHandler& broker) {
  for (const std::int32_t code :
       {RequestCode::kUpdateAndCreateTopic, RequestCode::kUpdateAndCreateTopicList,
        RequestCode::kGetAllTopicConfig, RequestCode::kGetTopicStatsInfo,
        RequestCode::kDeleteTopicInBroker, RequestCode::kGetSystemTopicListFromBroker,
        RequestCode::kGetTopicConfig}) {
    broker.Register(code, this);
  }
}

Result<Reply> TopicAdminHandler::Answer(const OwnedRequest& request) {
  switch (request.code) {
    case RequestCode::kUpdateAndCreateTopic:
      return Update(request.fields);
    case RequestCode::kUpdateAndCreateTopicList:
      return UpdateAll(request.body);
    case RequestCode::kDeleteTopicInBroker:
      return Delete(request.fields);
    case RequestCode::kGetAllTopicConfig:
      return All(request.fields);
    case RequestCode::kGetTopicConfig:
      return One(request.fields);
    case RequestCode::kGetTopicStatsInfo:
      return Stats(request.fields);
    default: {
      Reply reply;
      reply.body = TopicList{topics_.SystemTopics(), {}}.Encode();
      return reply;
    }
  }
}

Result<Reply> TopicAdminHandler::Kept(const Status& changed) {
  if (!changed.ok()) return std::unexpected(changed.error());
  AP_RETURN_IF_ERROR(topics_.Persist());
  return Reply();
}

Result<Reply> TopicAdminHandler::Update(const Fields& fields) {
  const Result<std::string_view> name = fields.RequireText("topic");
  if (!name.ok()) return Unreadable(name.error().message());
  TopicConfig config;
  config.name = std::string(*name);
  const std::string_view filter = fields.Text("topicFilterType");
  if (filter != "SINGLE_TAG" && filter != "MULTI_TAG") {
    return Unreadable(fmt::format("topicFilterType = [{}] value invalid",
                                  fields.Find("topicFilterType") ? filter : "null"));
  }
  config.multi_tag = filter == "MULTI_TAG";
  AP_TRY(config.read_queues, RequiredNumber(fields, "readQueueNums"));
  AP_TRY(config.write_queues, RequiredNumber(fields, "writeQueueNums"));
  AP_TRY(config.perm, RequiredNumber(fields, "perm"));
  config.sys_flag = static_cast<std::int32_t>(fields.Int("topicSysFlag", 0));
  config.order = fields.Bool("order", false);
  Result<TopicAttributes> attributes = ParseAttributeChanges(fields.Text("attributes"));
  if (!attributes.ok()) return Unreadable(attributes.error().message());
  config.attributes = *std::move(attributes);
  return Kept(admin_.Update(std::move(config)));
}

Result<Reply> TopicAdminHandler::UpdateAll(std::string_view body) {
  Result<std::vector<TopicConfig>> configs = ParseTopicConfigList(body);
  if (!configs.ok()) return Unreadable(configs.error().message());
  return Kept(admin_.UpdateAll(*std::move(configs)));
}

Result<Reply> TopicAdminHandler::Delete(const Fields& fields) {
  return Kept(admin_.Delete(fields.Text("topic")));
}

Result<Reply> TopicAdminHandler::All(const Fields& fields) const {
  TopicConfigTable table;
  const std::vector<TopicPtr> all = topics_.All(&table.data_version);
  const auto [from, to] =
      ConfigPage(fields, "topicSeq", "maxTopicNum", table.data_version, all.size());
  for (std::size_t i = from; i < to; ++i) table.topics.push_back(*all[i]);
  Reply reply;
  reply.fields.AddInt("totalTopicNum", static_cast<std::int64_t>(all.size()));
  reply.body = table.Encode();
  return reply;
}

Result<Reply> TopicAdminHandler::One(const Fields& fields) const {
  const std::string_view name = fields.Text("topic");
  const TopicPtr topic = topics_.Find(name);
  if (topic == nullptr) {
    return Reply::Of(ResponseCode::kTopicNotExist,
                     fmt::format("No topic in this broker. topic: {}", name));
  }
  Reply reply;
  reply.body = topic->ToJson().Dump();
  return reply;
}

Result<Reply> TopicAdminHandler::Stats(const Fields& fields) const {
  const std::string_view name = fields.Text("topic");
  const TopicPtr topic = topics_.Find(name);
  if (topic == nullptr) {
    return Reply::Of(ResponseCode::kTopicNotExist, fmt::format("topic[{}] not exist", name));
  }
  TopicStats stats;
  const std::int32_t queues = std::max(topic->read_queues, topic->write_queues);
  for (std::int32_t queue = 0; queue < queues; ++queue) {
    TopicStats::Extent extent;
    if (const auto range = store_.Range({topic->name, queue})) {
      extent.min_offset = range->min.value();
      extent.max_offset = range->max.value();
      if (range->max > range->min) {
        extent.last_update_ms = store_.StoreTimeAt({topic->name, queue}, range->max - 1);
      }
    }
    stats.queues[{topic->name, identity_.name, queue}] = extent;
  }
  Reply reply;
  reply.body = stats.Encode();
  return reply;
}

}  // namespace apogee
