#include "protocol/json_body.h"

#include <algorithm>

namespace apogee {
namespace {

bool EqualAnyCase(std::string_view a, std::string_view b) {
  const auto upper = [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - ('a' - 'A')) : c;
  };
  return std::ranges::equal(a, b, {}, upper, upper);
}

}  // namespace

Result<Json> ParseJsonBody(std::string_view body) {
  if (body.empty()) return Fail(ErrorCode::kInvalidArgument, "the body is empty");
  auto json = Json::Parse(body);
  if (!json.ok()) {
    return Fail(ErrorCode::kInvalidArgument, "the body is no JSON: " + json.error().message());
  }
  if (!json->is_object()) return Fail(ErrorCode::kInvalidArgument, "the body is no JSON object");
  return json;
}

std::vector<std::string> TextsFromJson(const Json& json) {
  std::vector<std::string> texts;
  texts.reserve(json.array().size());
  for (const Json& item : json.array()) {
    if (!item.is_null()) texts.push_back(item.ToText());
  }
  return texts;
}

std::map<std::string, std::string> TextMapFromJson(const Json& json) {
  std::map<std::string, std::string> map;
  for (const auto& [name, value] : json.object()) {
    if (!value.is_null()) map[name] = value.ToText();
  }
  return map;
}

std::optional<int> EnumFromJson(const Json& json, std::span<const std::string_view> names) {
  if (json.is_string()) {
    const std::string text = json.ToText();
    const auto found = std::ranges::find_if(
        names, [&text](std::string_view name) { return EqualAnyCase(name, text); });
    if (found != names.end()) return static_cast<int>(found - names.begin());
  }
  const std::int64_t number = json.ToInt(-1);
  if (number >= 0 && number < static_cast<std::int64_t>(names.size())) {
    return static_cast<int>(number);
  }
  return std::nullopt;
}

}  // namespace apogee
