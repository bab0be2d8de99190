#include "server/config.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>

#include "base/check.h"
#include "server/properties.h"

namespace apogee {
namespace {

bool ReadInt(std::string_view text, std::int64_t* value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *value);
  return error == std::errc() && end == text.data() + text.size();
}

bool IsDouble(const std::string& text) {
  char* end = nullptr;
  std::strtod(text.c_str(), &end);
  return !text.empty() && *end == '\0';
}

Status CheckType(const ConfigKey& key, const std::string& value, std::string_view origin) {
  std::int64_t number = 0;
  switch (key.type) {
    case ConfigType::kText:
      return Ok();
    case ConfigType::kInt:
      if (ReadInt(value, &number)) return Ok();
      return Fail(
          ErrorCode::kInvalidArgument,
          fmt::format("{}: {} must be a whole number, not \"{}\"", origin, key.name, value));
    case ConfigType::kBool:
      if (value == "true" || value == "false") return Ok();
      return Fail(ErrorCode::kInvalidArgument,
                  fmt::format("{}: {} must be true or false, not \"{}\"", origin, key.name, value));
    case ConfigType::kDouble:
      if (IsDouble(value)) return Ok();
      return Fail(ErrorCode::kInvalidArgument,
                  fmt::format("{}: {} must be a number, not \"{}\"", origin, key.name, value));
  }
  return Ok();
}

bool InScope(const ConfigKey& key, ConfigScope scope) {
  return scope == ConfigScope::kBoth || key.scope == ConfigScope::kBoth || key.scope == scope;
}

}  // namespace

Status Config::Load(std::string_view properties, std::string_view origin) {
  AP_TRY(const std::vector<Property> parsed, ParseProperties(properties));
  for (const Property& property : parsed) {
    AP_RETURN_IF_ERROR(
        Set(property.key, property.value, fmt::format("{} line {}", origin, property.line)));
  }
  return Ok();
}

Status Config::Set(std::string_view assignment, std::string_view origin) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string_view::npos) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("{}: \"{}\" is not of the form key=value", origin, assignment));
  }
  return Set(assignment.substr(0, equals), assignment.substr(equals + 1), origin);
}

Status Config::Set(std::string_view key, std::string_view value, std::string_view origin) {
  const ConfigKey* known = FindConfigKey(key);
  if (known == nullptr) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("{}: unknown key \"{}\"; the nearest valid one is \"{}\"", origin, key,
                            NearestConfigKey(key)));
  }
  std::string text(value);
  // Apache ignores an empty value of a number or switch; so the default stays.
  if (text.empty() && known->type != ConfigType::kText) return Ok();
  // Java reads switches in any case.
  if (known->type == ConfigType::kBool) {
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
  }
  AP_RETURN_IF_ERROR(CheckType(*known, text, origin));
  values_[std::string(key)] = std::move(text);
  return Ok();
}

std::string Config::Text(std::string_view key) const {
  const auto at = values_.find(key);
  if (at != values_.end()) return at->second;
  const ConfigKey* known = FindConfigKey(key);
  AP_CHECK(known != nullptr);
  return std::string(known->default_value);
}

std::int64_t Config::Int(std::string_view key) const {
  std::int64_t value = 0;
  AP_CHECK(ReadInt(Text(key), &value));
  return value;
}

bool Config::Bool(std::string_view key) const {
  return Text(key) == "true";
}

std::vector<std::string> Config::Notices() const {
  std::vector<std::string> lines;
  for (const auto& [key, value] : values_) {
    const ConfigKey* known = FindConfigKey(key);
    if (!known->no_effect.empty()) {
      lines.push_back(fmt::format("{}={} has no effect: {}", key, value, known->no_effect));
    }
  }
  return lines;
}

std::string Config::Dump(ConfigScope scope) const {
  std::string out;
  for (const ConfigKey& key : ConfigKeys()) {
    if (!InScope(key, scope)) continue;
    const bool set = IsSet(key.name);
    if (key.no_effect.empty()) {
      out += fmt::format("{}={}\n", key.name, Text(key.name));
    } else if (set) {
      out += fmt::format("# no effect, {}: {}={}\n", key.no_effect, key.name, Text(key.name));
    }
  }
  return out;
}

}  // namespace apogee
