#include "broker/topic_admin.h"

#include <fmt/core.h>

#include <utility>

#include "base/log.h"
#include "message/names.h"

namespace apogee {
namespace {

// A topic's attributes as changes ("+message.type" → "FIFO").
Status CheckMessageType(const TopicConfig& config) {
  const auto at = config.attributes.find("+message.type");
  if (at != config.attributes.end() && at->second == "MIXED") {
    return Fail(ErrorCode::kInvalidArgument, "MIXED message type is not supported.");
  }
  return Ok();
}

// Attribute errors are answered with another code than bad names.
Status AsAttributeError(Status status) {
  if (status.ok()) return status;
  return Fail(ErrorCode::kUnsupported, status.error().message());
}

}  // namespace

TopicAdmin::TopicAdmin(TopicTable& topics, GroupTable& groups, ConsumerOffsets& offsets,
                       QueueLocks& locks, MessageStore& store)
    : topics_(topics), groups_(groups), offsets_(offsets), locks_(locks), store_(store) {}

Status TopicAdmin::CheckName(std::string_view topic) const {
  AP_RETURN_IF_ERROR(CheckTopicName(topic));
  if (topics_.IsSystem(topic)) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("The topic[{}] is conflict with system topic.", topic));
  }
  return Ok();
}

Status TopicAdmin::Update(TopicConfig config) {
  AP_RETURN_IF_ERROR(CheckName(config.name));
  AP_RETURN_IF_ERROR(CheckMessageType(config));
  bool changed = false;
  const std::string name = config.name;
  AP_RETURN_IF_ERROR(AsAttributeError(topics_.Put(std::move(config), &changed)));
  if (changed) LogInfo("topic {} created or changed by an administrator", name);
  return Ok();
}

Status TopicAdmin::UpdateAll(std::vector<TopicConfig> configs) {
  for (const TopicConfig& config : configs) {
    AP_RETURN_IF_ERROR(CheckName(config.name));
    AP_RETURN_IF_ERROR(CheckMessageType(config));
  }
  return AsAttributeError(topics_.PutAll(std::move(configs)));
}

Status TopicAdmin::Delete(std::string_view topic) {
  // Not CheckTopicName: what an older broker created under a name that is no longer allowed can
  // still be deleted.
  if (topic.find_first_not_of(" \t") == std::string_view::npos) {
    return Fail(ErrorCode::kInvalidArgument, "The specified topic is blank.");
  }
  if (topics_.IsSystem(topic)) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("The topic[{}] is conflict with system topic.", topic));
  }
  if (!topics_.Remove(topic)) return Ok();
  offsets_.RemoveTopic(topic);
  locks_.RemoveTopic(topic);
  AP_RETURN_IF_ERROR(store_.DeleteTopic(topic));
  LogInfo("topic {} deleted by an administrator", topic);
  return Ok();
}

void TopicAdmin::DeleteGroup(std::string_view group, bool clean_offsets) {
  groups_.Remove(group);
  if (clean_offsets) offsets_.RemoveGroup(group);
}

}  // namespace apogee
