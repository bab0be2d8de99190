#include "protocol/fields.h"

#include <algorithm>
#include <charconv>
#include <cstring>

namespace apogee {
namespace {

// One request's copies (unescaped properties mostly) fit in one block.
constexpr std::size_t kBlockBytes = 2048;

std::optional<std::int64_t> ParseInt(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);  // Long.parseLong takes it, from_chars not.
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool IsTrue(std::string_view text) {
  static constexpr std::string_view kTrue = "true";
  return std::ranges::equal(text, kTrue, [](char a, char b) { return (a | 0x20) == b; });
}

}  // namespace

void Fields::AddInt(std::string_view name, std::int64_t value) {
  AddView(name, KeepMade(20, [value](char* room) {
            return static_cast<std::size_t>(std::to_chars(room, room + 20, value).ptr - room);
          }));
}

std::optional<std::string_view> Fields::Find(std::string_view name) const {
  for (auto field = fields_.rbegin(); field != fields_.rend(); ++field) {
    if (field->name == name) return field->value;
  }
  return std::nullopt;
}

std::string_view Fields::Text(std::string_view name, std::string_view fallback) const {
  return Find(name).value_or(fallback);
}

std::int64_t Fields::Int(std::string_view name, std::int64_t fallback) const {
  const auto text = Find(name);
  return text ? ParseInt(*text).value_or(fallback) : fallback;
}

bool Fields::Bool(std::string_view name, bool fallback) const {
  const auto text = Find(name);
  return text ? IsTrue(*text) : fallback;
}

Result<std::int64_t> Fields::RequireInt(std::string_view name) const {
  const auto text = Find(name);
  if (!text) {
    return Fail(ErrorCode::kInvalidArgument,
                "the header field " + std::string(name) + " is missing");
  }
  const auto value = ParseInt(*text);
  if (!value) {
    return Fail(ErrorCode::kInvalidArgument, "the header field " + std::string(name) +
                                                 " is no integer: \"" + std::string(*text) + "\"");
  }
  return *value;
}

Result<std::string_view> Fields::RequireText(std::string_view name) const {
  const auto text = Find(name);
  if (!text) {
    return Fail(ErrorCode::kInvalidArgument,
                "the header field " + std::string(name) + " is missing");
  }
  return *text;
}

std::string_view Fields::Keep(std::string_view text) {
  if (text.empty()) return {};
  return KeepMade(text.size(), [text](char* room) {
    std::memcpy(room, text.data(), text.size());
    return text.size();
  });
}

char* Fields::Room(std::size_t bytes) {
  if (blocks_.empty() || block_size_ - block_used_ < bytes) {
    block_size_ = std::max(kBlockBytes, bytes);
    blocks_.push_back(std::make_unique_for_overwrite<char[]>(block_size_));
    block_used_ = 0;
  }
  return blocks_.back().get() + block_used_;
}

void Fields::Clear() {
  fields_.clear();
  // A block that one large request needed is not kept for the connection's life.
  if (block_size_ > kBlockBytes) {
    blocks_.clear();
    block_size_ = 0;
  } else if (blocks_.size() > 1) {
    blocks_.erase(blocks_.begin(), blocks_.end() - 1);
  }
  block_used_ = 0;
}

}  // namespace apogee
