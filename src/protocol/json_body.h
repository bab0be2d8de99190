// Reading JSON bodies (remoting reference §4.1): what all of them share.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace apogee {

// The body as a JSON object. kInvalidArgument when it is empty, no JSON or no object.
Result<Json> ParseJsonBody(std::string_view body);

// An array of texts; anything else counts as empty, nulls in it are passed over.
std::vector<std::string> TextsFromJson(const Json& json);
// An object's members as texts.
std::map<std::string, std::string> TextMapFromJson(const Json& json);

template <typename Texts>
Json TextsToJson(const Texts& texts) {
  Json::Array array;
  for (const std::string& text : texts) array.emplace_back(text);
  return Json(std::move(array));
}

// The place of an enum constant among `names`, given by name (any case) or by number; nullopt for
// null, absent and unknown ones.
std::optional<int> EnumFromJson(const Json& json, std::span<const std::string_view> names);

}  // namespace apogee
