#include "base/json.h"

#include <simdjson.h>

#include <charconv>
#include <cmath>
#include <limits>

#include "base/lenient_json.h"

namespace apogee {
namespace {

namespace dom = simdjson::dom;

// Deep documents were refused by the pre-pass, so this recursion is bounded by kJsonDepthMax.
Json FromDom(const dom::element& element) {
  switch (element.type()) {
    case dom::element_type::ARRAY: {
      Json::Array array;
      const dom::array items = element.get_array().value_unsafe();
      array.reserve(items.size());
      for (const dom::element item : items) array.push_back(FromDom(item));
      return Json(std::move(array));
    }
    case dom::element_type::OBJECT: {
      Json::Object object;
      const dom::object members = element.get_object().value_unsafe();
      object.reserve(members.size());
      for (const dom::key_value_pair member : members) {
        object.emplace_back(std::string(member.key), FromDom(member.value));
      }
      return Json(std::move(object));
    }
    case dom::element_type::INT64:
      return Json(element.get_int64().value_unsafe());
    case dom::element_type::UINT64:
      return Json(static_cast<double>(element.get_uint64().value_unsafe()));
    case dom::element_type::DOUBLE:
      return Json(element.get_double().value_unsafe());
    case dom::element_type::STRING:
      return Json(element.get_string().value_unsafe());
    case dom::element_type::BOOL:
      return Json(element.get_bool().value_unsafe());
    case dom::element_type::NULL_VALUE:
      break;
  }
  return Json();
}

std::string_view Trim(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
}

template <typename T>
bool ParseNumber(std::string_view text, T* value) {
  text = Trim(text);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *value);
  return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

// The part before the point, when 64 bits hold it.
std::int64_t Truncate(double value, std::int64_t fallback) {
  constexpr double kLimit = 9223372036854775808.0;
  if (!(value >= -kLimit && value < kLimit)) return fallback;
  return static_cast<std::int64_t>(value);
}

bool EqualsIgnoringCase(std::string_view text, std::string_view lower) {
  if (text.size() != lower.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i] >= 'A' && text[i] <= 'Z' ? static_cast<char>(text[i] + 32) : text[i];
    if (c != lower[i]) return false;
  }
  return true;
}

}  // namespace

Result<Json> Json::Parse(std::string_view text) {
  AP_TRY(const std::string strict, ToStrictJson(text));
  // The parser's memory grows with the document and goes with it: bodies differ by magnitudes.
  dom::parser parser;
  dom::element root;
  if (const auto error = parser.parse(strict.data(), strict.size()).get(root);
      error != simdjson::SUCCESS) {
    return Fail(ErrorCode::kCorruption, std::string("no JSON: ") + simdjson::error_message(error));
  }
  return FromDom(root);
}

std::int64_t Json::ToInt(std::int64_t fallback) const {
  if (const auto* integer = std::get_if<std::int64_t>(&value_)) return *integer;
  if (const auto* real = std::get_if<double>(&value_)) return Truncate(*real, fallback);
  if (const auto* flag = std::get_if<bool>(&value_)) return *flag ? 1 : 0;
  if (const auto* text = std::get_if<std::string>(&value_)) {
    std::int64_t integer = 0;
    if (ParseNumber(*text, &integer)) return integer;
    double real = 0;
    if (ParseNumber(*text, &real)) return Truncate(real, fallback);
  }
  return fallback;
}

double Json::ToDouble(double fallback) const {
  if (const auto* integer = std::get_if<std::int64_t>(&value_)) {
    return static_cast<double>(*integer);
  }
  if (const auto* real = std::get_if<double>(&value_)) return *real;
  if (const auto* text = std::get_if<std::string>(&value_)) {
    double real = 0;
    if (ParseNumber(*text, &real) && std::isfinite(real)) return real;
  }
  return fallback;
}

bool Json::ToBool(bool fallback) const {
  if (const auto* flag = std::get_if<bool>(&value_)) return *flag;
  if (const auto* integer = std::get_if<std::int64_t>(&value_)) return *integer != 0;
  if (const auto* text = std::get_if<std::string>(&value_)) {
    if (EqualsIgnoringCase(*text, "true") || *text == "1") return true;
    if (EqualsIgnoringCase(*text, "false") || *text == "0") return false;
  }
  return fallback;
}

std::string Json::ToText(std::string_view fallback) const {
  if (const auto* text = std::get_if<std::string>(&value_)) return *text;
  if (std::holds_alternative<std::int64_t>(value_) || std::holds_alternative<double>(value_) ||
      std::holds_alternative<bool>(value_)) {
    return Dump();
  }
  return std::string(fallback);
}

const Json::Array& Json::array() const {
  static const Array& empty = *new Array();
  const auto* array = std::get_if<Array>(&value_);
  return array != nullptr ? *array : empty;
}

const Json::Object& Json::object() const {
  static const Object& empty = *new Object();
  const auto* object = std::get_if<Object>(&value_);
  return object != nullptr ? *object : empty;
}

const Json& Json::operator[](std::string_view name) const {
  static const Json& null = *new Json();
  const Object& members = object();
  for (auto member = members.rbegin(); member != members.rend(); ++member) {
    if (member->first == name) return member->second;
  }
  return null;
}

bool Json::Has(std::string_view name) const {
  for (const Member& member : object()) {
    if (member.first == name) return true;
  }
  return false;
}

Json& Json::Set(std::string name, Json value) {
  if (is_null()) value_ = Object();
  if (auto* members = std::get_if<Object>(&value_)) {
    for (auto member = members->rbegin(); member != members->rend(); ++member) {
      if (member->first == name) {
        member->second = std::move(value);
        return *this;
      }
    }
    members->emplace_back(std::move(name), std::move(value));
  }
  return *this;
}

void Json::Append(Json value) {
  if (is_null()) value_ = Array();
  if (auto* items = std::get_if<Array>(&value_)) items->push_back(std::move(value));
}

std::string Json::RawKey(const Json& object) {
  return object.Dump(Style::kCompact);
}

}  // namespace apogee
