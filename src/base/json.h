// JSON as a value. Reading understands what fastjson emits and accepts besides standard JSON: bare
// integer keys, whole objects as keys, single quotes, trailing commas, comments (shared dialect of
// RocketMQ's wire bodies and of its config/*.json files). Writing gives strict, compact JSON unless
// told otherwise.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.h"

namespace apogee {

class Json {
 public:
  using Array = std::vector<Json>;
  using Member = std::pair<std::string, Json>;
  // Members in the order read or added. An object used as a key is kept as its compact JSON text.
  using Object = std::vector<Member>;

  Json() = default;  // null
  Json(std::nullptr_t) {}
  Json(bool value) : value_(value) {}
  Json(int value) : value_(static_cast<std::int64_t>(value)) {}
  Json(std::int64_t value) : value_(value) {}
  Json(double value) : value_(value) {}
  Json(const char* value) : value_(std::string(value)) {}
  Json(std::string_view value) : value_(std::string(value)) {}
  Json(std::string value) : value_(std::move(value)) {}
  Json(Array value) : value_(std::move(value)) {}
  Json(Object value) : value_(std::move(value)) {}

  // kCorruption with the position of the first byte that does not fit. Depth is bounded (64).
  static Result<Json> Parse(std::string_view text);

  bool is_null() const { return std::holds_alternative<std::monostate>(value_); }
  bool is_object() const { return std::holds_alternative<Object>(value_); }
  bool is_array() const { return std::holds_alternative<Array>(value_); }
  bool is_string() const { return std::holds_alternative<std::string>(value_); }

  // Lenient readings, as fastjson converts: numeric strings are numbers, numbers are strings,
  // "true" is a boolean. The fallback is given for null, absent or inconvertible values.
  std::int64_t ToInt(std::int64_t fallback = 0) const;
  double ToDouble(double fallback = 0) const;
  bool ToBool(bool fallback = false) const;
  std::string ToText(std::string_view fallback = {}) const;

  // Empty unless this is an array / object.
  const Array& array() const;
  const Object& object() const;

  // The member called `name` (of equal names the last); a null value when absent or when this is no
  // object. Linear.
  const Json& operator[](std::string_view name) const;
  bool Has(std::string_view name) const;

  // Adds or replaces a member; a null value becomes an object first. Linear: a big table is built
  // as an Object.
  Json& Set(std::string name, Json value);
  void Append(Json value);

  enum class Style {
    kCompact,       // Strict and compact; an object key goes out as a raw object (see RawKey).
    kPretty,        // As fastjson writes config files: tab indent, no blanks after ':' and ','.
    kCompactAscii,  // Compact with \uXXXX for everything beyond ASCII.
  };
  std::string Dump(Style style = Style::kCompact) const;

  // The member name for a map whose keys are objects ({{"brokerName":…}:…}), which every Java
  // client and tool expects raw: a name that is the compact text of an object is written as it
  // stands, without quotes.
  static std::string RawKey(const Json& object);

 private:
  std::variant<std::monostate, bool, std::int64_t, double, std::string, Array, Object> value_;
};

// Appends `text` as a quoted JSON string.
void AppendJsonString(std::string& out, std::string_view text, bool ascii_only = false);

}  // namespace apogee
