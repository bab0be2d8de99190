#include "endpoint/remoting/group_admin_handler.h"

#include <utility>

#include "endpoint/remoting/config_page.h"
#include "protocol/config_tables.h"
#include "protocol/json_body.h"
#include "protocol/request_code.h"
#include "protocol/response_code.h"

namespace apogee {

void GroupAdminHandler::RegisterWith(BrokerHandler& broker) {
  for (const std::int32_t code :
       {RequestCode::kUpdateAndCreateSubscriptiongroup, RequestCode::kGetAllSubscriptiongroupConfig,
        RequestCode::kDeleteSubscriptiongroup, RequestCode::kUpdateAndCreateSubscriptiongroupList,
        RequestCode::kGetSubscriptiongroupConfig}) {
    broker.Register(code, this);
  }
}

Result<Reply> GroupAdminHandler::Answer(const OwnedRequest& request) {
  switch (request.code) {
    case RequestCode::kUpdateAndCreateSubscriptiongroup:
      return Update(request.body);
    case RequestCode::kUpdateAndCreateSubscriptiongroupList:
      return UpdateAll(request.body);
    case RequestCode::kDeleteSubscriptiongroup:
      return Delete(request.fields);
    case RequestCode::kGetAllSubscriptiongroupConfig:
      return All(request.fields);
    default:
      return One(request.fields);
  }
}

Result<Reply> GroupAdminHandler::Kept(const Status& changed) {
  if (!changed.ok()) return std::unexpected(changed.error());
  AP_RETURN_IF_ERROR(groups_.Persist());
  return Reply();
}

Result<Reply> GroupAdminHandler::Update(std::string_view body) {
  if (body.empty()) return Reply();  // As Apache: nothing asked for, nothing done.
  const Result<Json> json = ParseJsonBody(body);
  if (!json.ok()) return Reply::Of(ResponseCode::kSystemError, json.error().message());
  return Kept(groups_.Put(GroupConfig::FromJson(*json)));
}

Result<Reply> GroupAdminHandler::UpdateAll(std::string_view body) {
  Result<std::vector<GroupConfig>> configs = ParseGroupConfigList(body);
  if (!configs.ok()) return Reply::Of(ResponseCode::kSystemError, configs.error().message());
  return Kept(groups_.PutAll(*std::move(configs)));
}

Result<Reply> GroupAdminHandler::Delete(const Fields& fields) {
  // 4.9's tools call the switch removeOffset.
  const bool clean = fields.Bool("cleanOffset", false) || fields.Bool("removeOffset", false);
  return Kept(admin_.DeleteGroup(fields.Text("groupName"), clean));
}

Result<Reply> GroupAdminHandler::All(const Fields& fields) const {
  GroupConfigTable table;
  const std::vector<GroupPtr> all = groups_.All(&table.data_version);
  const auto [from, to] =
      ConfigPage(fields, "groupSeq", "maxGroupNum", table.data_version, all.size());
  for (std::size_t i = from; i < to; ++i) table.groups.push_back(*all[i]);
  const Json forbidden = groups_.Forbidden();
  for (const auto& [group, topics] : forbidden.object()) {
    for (const auto& [topic, bits] : topics.object()) {
      table.forbidden[group][topic] = static_cast<std::int32_t>(bits.ToInt());
    }
  }
  Reply reply;
  reply.fields.AddInt("totalGroupNum", static_cast<std::int64_t>(all.size()));
  reply.body = table.Encode();
  return reply;
}

Result<Reply> GroupAdminHandler::One(const Fields& fields) {
  const GroupPtr group = groups_.FindOrCreate(fields.Text("group"));
  if (group == nullptr) {
    return Reply::Of(ResponseCode::kSubscriptionGroupNotExist, "No group in this broker");
  }
  Reply reply;
  reply.body = group->ToJson().Dump();
  return reply;
}

}  // namespace apogee
