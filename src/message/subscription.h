// What one consumer wants of one topic.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace apogee {

inline constexpr std::string_view kExpressionTag = "TAG";
inline constexpr std::string_view kExpressionSql92 = "SQL92";
inline constexpr std::string_view kSubscribeAll = "*";

struct Subscription {
  std::string topic;
  std::string expression = "*";
  std::string expression_type = "TAG";
  std::set<std::string> tags;
  std::vector<std::int32_t> tag_codes;  // Java hashes of `tags`, sorted.
  std::int64_t version = 0;             // subVersion
  bool class_filter = false;

  bool is_tag_type() const { return expression_type.empty() || expression_type == kExpressionTag; }
  bool matches_all() const {
    return is_tag_type() && (expression.empty() || expression == kSubscribeAll);
  }

  // Splits a tag expression at "||"; pieces are trimmed, empty ones dropped. kInvalidArgument when
  // nothing is left.
  static Result<Subscription> FromExpression(std::string_view topic, std::string_view expression,
                                             std::string_view type);
  Json ToJson() const;
  static Subscription FromJson(const Json& json);
};

}  // namespace apogee
