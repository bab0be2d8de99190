// Tables and lists of topic and group configurations: bodies of GET_ALL_TOPIC_CONFIG,
// GET_ALL_SUBSCRIPTIONGROUP_CONFIG and of the requests that create several at once (remoting
// reference §4.3, §4.5).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "message/group_config.h"
#include "message/topic_config.h"

namespace apogee {

struct TopicConfigTable {
  DataVersion data_version;
  std::vector<TopicConfig> topics;

  // As 5.x answers, with the members of static topics, empty.
  std::string Encode() const;
  static Result<TopicConfigTable> Parse(std::string_view body);
};

struct GroupConfigTable {
  DataVersion data_version;
  std::vector<GroupConfig> groups;
  std::map<std::string, std::map<std::string, std::int32_t>> forbidden;  // By group and topic.

  std::string Encode() const;
  static Result<GroupConfigTable> Parse(std::string_view body);
};

// {"topicConfigList":[…]} of UPDATE_AND_CREATE_TOPIC_LIST; kInvalidArgument without a body.
Result<std::vector<TopicConfig>> ParseTopicConfigList(std::string_view body);
// {"groupConfigList":[…]} of UPDATE_AND_CREATE_SUBSCRIPTIONGROUP_LIST.
Result<std::vector<GroupConfig>> ParseGroupConfigList(std::string_view body);

}  // namespace apogee
