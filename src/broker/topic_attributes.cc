#include "broker/topic_attributes.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <vector>

namespace apogee {
namespace {

struct Attribute {
  std::string_view name;
  bool changeable;
  std::vector<std::string_view> values;  // Empty: a number of at least -1.
};

const std::vector<Attribute>& KnownAttributes() {
  static const std::vector<Attribute> known = {
      {"queue.type", false, {"BatchCQ", "SimpleCQ"}},
      {"cleanup.policy", false, {"DELETE", "COMPACTION"}},
      {"message.type",
       true,
       {"UNSPECIFIED", "MIXED", "TRANSACTION", "PRIORITY", "FIFO", "DELAY", "LITE", "NORMAL"}},
      {"lite.topic.expiration", true, {}},
      {"reserve.time", true, {}},
  };
  return known;
}

Status CheckValue(const Attribute& attribute, std::string_view value) {
  if (!attribute.values.empty()) {
    if (std::ranges::find(attribute.values, value) != attribute.values.end()) return Ok();
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("value is not in set: [{}]", fmt::join(attribute.values, ", ")));
  }
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc() || end != value.data() + value.size() || number < -1) {
    return Fail(
        ErrorCode::kInvalidArgument,
        fmt::format("value of {} is not a number of at least -1: {}", attribute.name, value));
  }
  return Ok();
}

}  // namespace

Result<TopicAttributes> MergeTopicAttributes(const TopicAttributes* current,
                                             const TopicAttributes& changes) {
  TopicAttributes merged;
  if (current != nullptr) merged = *current;
  for (const auto& [change, value] : changes) {
    const char sign = change.empty() ? '\0' : change.front();
    const std::string name = change.empty() ? "" : change.substr(1);
    if ((sign != '+' && sign != '-') || name.empty()) {
      return Fail(ErrorCode::kInvalidArgument,
                  fmt::format("add/alter attribute format is wrong: {}", change));
    }
    if (current == nullptr && sign == '-') {
      return Fail(
          ErrorCode::kInvalidArgument,
          fmt::format("only add attribute is supported while creating topic. key: {}", name));
    }
    if (changes.contains((sign == '+' ? '-' : '+') + name)) {
      return Fail(ErrorCode::kInvalidArgument, fmt::format("alter duplication key. key: {}", name));
    }
    if (sign == '-' && !current->contains(name)) {
      return Fail(ErrorCode::kInvalidArgument,
                  fmt::format("attempt to delete a nonexistent key: {}", name));
    }
    const auto known = std::ranges::find(KnownAttributes(), name, &Attribute::name);
    if (known == KnownAttributes().end()) {
      return Fail(ErrorCode::kInvalidArgument, fmt::format("unsupported key: {}", name));
    }
    if (current != nullptr && !known->changeable) {
      return Fail(ErrorCode::kInvalidArgument,
                  fmt::format("attempt to update an unchangeable attribute. key: {}", name));
    }
    if (sign == '-') {
      merged.erase(name);
      continue;
    }
    AP_RETURN_IF_ERROR(CheckValue(*known, value));
    merged[name] = value;
  }
  return merged;
}

Result<TopicAttributes> ParseAttributeChanges(std::string_view text) {
  TopicAttributes changes;
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    const std::string_view piece = text.substr(0, comma);
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
    if (piece.empty()) continue;
    const std::size_t equals = piece.find('=');
    const std::string key(piece.substr(0, equals));
    const bool adds = key.starts_with('+');
    if (adds == (equals == std::string_view::npos) || key.size() < 2 ||
        (!adds && !key.starts_with('-'))) {
      return Fail(ErrorCode::kInvalidArgument,
                  fmt::format("{} attribute format is wrong: {}",
                              equals == std::string_view::npos ? "delete" : "add/alter", key));
    }
    const std::string value(adds ? piece.substr(equals + 1) : std::string_view());
    if (!changes.emplace(key, value).second) {
      return Fail(ErrorCode::kInvalidArgument, fmt::format("key duplication: {}", key));
    }
  }
  return changes;
}

}  // namespace apogee
