#include "message/subscription.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/java_hash.h"

namespace apogee {
namespace {

constexpr std::string_view kTagSeparator = "||";

// As Java's String.trim: everything up to the blank.
std::string_view Trim(std::string_view text) {
  const auto is_space = [](char c) { return static_cast<unsigned char>(c) <= ' '; };
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

std::vector<std::int32_t> HashesOf(const std::set<std::string>& tags) {
  std::vector<std::int32_t> hashes;
  hashes.reserve(tags.size());
  for (const std::string& tag : tags) hashes.push_back(JavaStringHash(tag));
  std::sort(hashes.begin(), hashes.end());
  return hashes;
}

}  // namespace

Result<Subscription> Subscription::FromExpression(std::string_view topic,
                                                  std::string_view expression,
                                                  std::string_view type) {
  Subscription subscription;
  subscription.topic = topic;
  if (!type.empty()) subscription.expression_type = type;
  if (!subscription.is_tag_type()) {
    if (expression.empty()) {
      return Fail(ErrorCode::kInvalidArgument, fmt::format("Expression can't be null! {}", type));
    }
    subscription.expression = expression;
    return subscription;
  }
  if (expression.empty() || expression == kSubscribeAll) return subscription;
  subscription.expression = expression;
  for (std::string_view rest = expression;;) {
    const std::size_t end = rest.find(kTagSeparator);
    const std::string_view tag = Trim(rest.substr(0, end));
    if (!tag.empty()) subscription.tags.emplace(tag);
    if (end == std::string_view::npos) break;
    rest.remove_prefix(end + kTagSeparator.size());
  }
  if (subscription.tags.empty()) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("no tag in the subscription '{}'", expression));
  }
  subscription.tag_codes = HashesOf(subscription.tags);
  return subscription;
}

Json Subscription::ToJson() const {
  Json::Array codes(tag_codes.begin(), tag_codes.end());
  Json::Array names(tags.begin(), tags.end());
  Json::Object members;
  members.emplace_back("classFilterMode", class_filter);
  members.emplace_back("codeSet", std::move(codes));
  members.emplace_back("expressionType", expression_type);
  members.emplace_back("subString", expression);
  members.emplace_back("subVersion", version);
  members.emplace_back("tagsSet", std::move(names));
  members.emplace_back("topic", topic);
  return Json(std::move(members));
}

Subscription Subscription::FromJson(const Json& json) {
  Subscription subscription;
  subscription.topic = json["topic"].ToText();
  subscription.expression = json["subString"].ToText(kSubscribeAll);
  subscription.expression_type = json["expressionType"].ToText(kExpressionTag);
  subscription.version = json["subVersion"].ToInt();
  subscription.class_filter = json["classFilterMode"].ToBool();
  for (const Json& tag : json["tagsSet"].array()) subscription.tags.insert(tag.ToText());
  for (const Json& code : json["codeSet"].array()) {
    subscription.tag_codes.push_back(static_cast<std::int32_t>(code.ToInt()));
  }
  std::sort(subscription.tag_codes.begin(), subscription.tag_codes.end());
  // Some clients send the names alone; the codes are a function of them.
  if (subscription.tag_codes.empty()) subscription.tag_codes = HashesOf(subscription.tags);
  return subscription;
}

}  // namespace apogee
