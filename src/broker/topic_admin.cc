#include "broker/topic_admin.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "message/names.h"

namespace apogee {
namespace {

// Far beyond any use; a table of a topic's queues is built when somebody asks for it.
constexpr std::int32_t kTopicQueuesMax = 65'536;

// Attribute errors are answered with another code than bad names.
Status AsAttributeError(Status status) {
  if (status.ok()) return status;
  return Fail(ErrorCode::kUnsupported, status.error().message());
}

}  // namespace

TopicAdmin::TopicAdmin(TopicTable& topics, GroupTable& groups, ConsumerOffsets& offsets,
                       QueueLocks& locks, MessageStore& store)
    : topics_(topics), groups_(groups), offsets_(offsets), locks_(locks), store_(store) {}

Status TopicAdmin::Check(const TopicConfig& config) const {
  AP_RETURN_IF_ERROR(CheckTopicName(config.name));
  if (topics_.IsSystem(config.name)) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("The topic[{}] is conflict with system topic.", config.name));
  }
  if (std::max(config.read_queues, config.write_queues) > kTopicQueuesMax) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("a topic has at most {} queues, asked for: {} to read, {} to write",
                            kTopicQueuesMax, config.read_queues, config.write_queues));
  }
  const auto type = config.attributes.find("+message.type");
  if (type != config.attributes.end() && type->second == "MIXED") {
    return Fail(ErrorCode::kInvalidArgument, "MIXED message type is not supported.");
  }
  return Ok();
}

Status TopicAdmin::Update(TopicConfig config) {
  AP_RETURN_IF_ERROR(Check(config));
  bool changed = false;
  const std::string name = config.name;
  AP_RETURN_IF_ERROR(AsAttributeError(topics_.Put(std::move(config), &changed)));
  if (changed) LogInfo("topic {} created or changed by an administrator", name);
  return Ok();
}

Status TopicAdmin::UpdateAll(std::vector<TopicConfig> configs) {
  for (const TopicConfig& config : configs) AP_RETURN_IF_ERROR(Check(config));
  return AsAttributeError(topics_.PutAll(std::move(configs)));
}

Status TopicAdmin::Delete(std::string_view topic) {
  // Not CheckTopicName: what an older broker created under a name that is no longer allowed can
  // still be deleted.
  if (topic.find_first_not_of(" \t\r\n\f\v") == std::string_view::npos) {
    return Fail(ErrorCode::kInvalidArgument, "The specified topic is blank.");
  }
  if (topics_.IsSystem(topic)) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("The topic[{}] is conflict with system topic.", topic));
  }
  // The rest also when the topic is not known: an earlier deletion may have ended half way.
  const bool known = topics_.Remove(topic);
  offsets_.RemoveTopic(topic);
  locks_.RemoveTopic(topic);
  // Before the answer: a position that a crash brought back would hide the messages of a topic
  // created anew under the name.
  AP_RETURN_IF_ERROR(offsets_.Persist());
  AP_RETURN_IF_ERROR(store_.DeleteTopic(topic));
  if (known) LogInfo("topic {} deleted by an administrator", topic);
  return Ok();
}

Status TopicAdmin::DeleteGroup(std::string_view group, bool clean_offsets) {
  if (groups_.Remove(group)) LogInfo("consumer group {} deleted by an administrator", group);
  if (!clean_offsets) return Ok();
  offsets_.RemoveGroup(group);
  return offsets_.Persist();
}

}  // namespace apogee
