// The bodies that are little more than a list or table of names (remoting reference §4.2, §4.4).
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace apogee {

// {"brokerAddr"?:s,"topicList":[s]}
struct TopicList {
  std::vector<std::string> topics;
  std::string broker_addr;  // Empty: left out.

  std::string Encode() const;
  static Result<TopicList> Parse(std::string_view body);
};

// {"table":{k:v}}
struct KvTable {
  std::map<std::string, std::string> table;

  std::string Encode() const;
  static Result<KvTable> Parse(std::string_view body);
};

// {"groupList":[s]}
std::string EncodeGroupList(const std::vector<std::string>& groups);

// {"consumerIdList":[s]}: the members of a consumer group.
std::string EncodeConsumerIdList(const std::vector<std::string>& client_ids);
Result<std::vector<std::string>> ParseConsumerIdList(std::string_view body);

}  // namespace apogee
