#include "protocol/json_header.h"

#include <charconv>
#include <cstring>
#include <limits>
#include <optional>

#include "base/json.h"
#include "protocol/byte_scan.h"
#include "protocol/json_scan.h"

namespace apogee {
namespace {

// No client sends more than some thirty; a list without bound would only serve an attacker.
constexpr std::size_t kFieldsMax = 4096;

std::optional<std::int32_t> ToInt32(std::string_view token) {
  std::int32_t value = 0;
  const char* const end = token.data() + token.size();
  const auto [stop, error] = std::from_chars(token.data(), end, value);
  if (error == std::errc{} && stop == end) return value;
  // 1.0 and 1e2 are integers for a Java peer too; what does not fit is refused.
  double fraction = 0;
  const auto [stop2, error2] = std::from_chars(token.data(), end, fraction);
  if (error2 != std::errc{} || stop2 != end) return std::nullopt;
  if (!(fraction >= std::numeric_limits<std::int32_t>::min() &&
        fraction <= std::numeric_limits<std::int32_t>::max())) {
    return std::nullopt;
  }
  return static_cast<std::int32_t>(fraction);
}

Language LanguageFromNumber(std::int32_t number) {
  return number >= 0 && number <= static_cast<std::int32_t>(Language::kNodeJs)
             ? static_cast<Language>(number)
             : Language::kOther;
}

class HeaderReader {
 public:
  HeaderReader(std::string_view header, Command* into) : scan_(header), into_(into) {}

  Status Read() {
    if (!ReadObject([this](std::string_view name) { return ReadMember(name); })) return Failure();
    if (!scan_.AtEnd()) {
      why_ = "bytes behind the object";
      return Failure();
    }
    return Ok();
  }

 private:
  Status Failure() const {
    return Fail(ErrorCode::kCorruption,
                "JSON header: " + std::string(why_) + " at byte " + std::to_string(scan_.at()));
  }
  bool Refuse(const char* why) {
    why_ = why;
    return false;
  }

  // `{ name : value, … }`; `member` reads the value.
  template <typename Member>
  bool ReadObject(Member&& member) {
    if (!scan_.Take('{')) return Refuse("no object");
    if (scan_.Take('}')) return true;
    while (true) {
      std::string_view name;
      if (!ReadText(&name)) return Refuse("a member name is not quoted");
      if (!scan_.Take(':')) return Refuse("no colon behind a name");
      if (!member(name)) return false;
      if (scan_.Take(',')) {
        if (scan_.Take('}')) return true;  // A trailing comma.
        continue;
      }
      return scan_.Take('}') || Refuse("neither comma nor end behind a value");
    }
  }

  bool ReadMember(std::string_view name) {
    switch (name.size()) {
      case 4:
        if (name == "code") return ReadNumber(&into_->code, TextNumbers::kTaken);
        if (name == "flag") return ReadNumber(&into_->flag, TextNumbers::kRefused);
        break;
      case 6:
        if (name == "opaque") return ReadNumber(&into_->opaque, TextNumbers::kRefused);
        if (name == "remark") return ReadValue(&into_->remark);
        break;
      case 7:
        if (name == "version") return ReadNumber(&into_->version, TextNumbers::kRefused);
        break;
      case 8:
        if (name == "language") return ReadLanguage();
        break;
      case 9:
        if (name == "extFields") return ReadFields();
        break;
      default:
        break;
    }
    return scan_.SkipValue() || Refuse("a value does not parse");
  }

  enum class TextNumbers { kTaken, kRefused };
  bool ReadNumber(std::int32_t* to, TextNumbers texts) {
    const char first = scan_.Peek();
    std::string_view token;
    if (first == '"' || first == '\'') {
      if (texts == TextNumbers::kRefused) return Refuse("text where a number is due");
      if (!ReadText(&token)) return Refuse("a text does not end");
    } else if (!scan_.TakeLiteral(&token)) {
      return Refuse("no number");
    } else if (token == "null") {
      return true;
    }
    const auto number = ToInt32(token);
    if (!number) return Refuse("no 32-bit number");
    *to = *number;
    return true;
  }

  bool ReadLanguage() {
    const char first = scan_.Peek();
    std::string_view token;
    if (first == '"' || first == '\'') {
      if (!ReadText(&token)) return Refuse("a text does not end");
      into_->language = LanguageFromName(token);
      return true;
    }
    if (!scan_.TakeLiteral(&token)) return Refuse("no language");
    const auto number = ToInt32(token);
    if (!number && token != "null") return Refuse("no language");
    into_->language = number ? LanguageFromNumber(*number) : Language::kOther;
    return true;
  }

  bool ReadFields() {
    if (scan_.Peek() != '{') {
      std::string_view token;
      return (scan_.TakeLiteral(&token) && token == "null") || Refuse("extFields is no object");
    }
    into_->has_fields = true;
    return ReadObject([this](std::string_view name) {
      std::string_view value;
      if (!ReadValue(&value)) return false;
      if (value.data() == nullptr) return true;  // null: the field is absent.
      if (into_->fields.size() >= kFieldsMax) return Refuse("too many extFields");
      into_->fields.AddView(name, value);
      return true;
    });
  }

  // Any value as text: what stands between quotes, or the raw JSON. A view without data for null.
  bool ReadValue(std::string_view* value) {
    const char first = scan_.Peek();
    if (first == '"' || first == '\'') return ReadText(value) || Refuse("a text does not end");
    if (first == '{' || first == '[') {
      return scan_.SkipValue(value) || Refuse("a nested value does not parse");
    }
    if (!scan_.TakeLiteral(value)) return Refuse("no value");
    if (*value == "null") *value = {};
    return true;
  }

  bool ReadText(std::string_view* text) {
    bool escaped = false;
    if (!scan_.TakeQuoted(text, &escaped)) return false;
    if (!escaped) [[likely]] {
      return true;
    }
    bool good = true;
    const std::string_view raw = *text;
    *text = into_->fields.KeepMade(raw.size(), [&](char* room) {
      const auto bytes = Unescape(raw, room);
      good = bytes.has_value();
      return bytes.value_or(0);
    });
    return good;
  }

  JsonScan scan_;
  Command* into_;
  const char* why_ = "";
};

void AppendText(std::string& out, std::string_view text) {
  if (HasJsonEscapes(text)) [[unlikely]] {
    AppendJsonString(out, text);
    return;
  }
  out.push_back('"');
  out.append(text);
  out.push_back('"');
}

void AppendNumber(std::string& out, std::int32_t number) {
  char digits[12];
  const auto end = std::to_chars(digits, digits + sizeof(digits), number).ptr;
  out.append(digits, end);
}

void AppendFields(const Fields& fields, std::string& out) {
  out.append(",\"extFields\":{");
  bool first = true;
  for (auto field = fields.begin(); field != fields.end(); ++field) {
    bool replaced = false;  // A later field of the name counts: no name twice in strict JSON.
    for (auto later = field + 1; later != fields.end() && !replaced; ++later) {
      replaced = later->name == field->name;
    }
    if (replaced) continue;
    if (!first) out.push_back(',');
    first = false;
    AppendText(out, field->name);
    out.push_back(':');
    AppendText(out, field->value);
  }
  out.push_back('}');
}

}  // namespace

Status DecodeJsonHeader(std::string_view header, Command* into) {
  return HeaderReader(header, into).Read();
}

void AppendJsonHeader(const Command& command, std::string* out) {
  out->append("{\"code\":");
  AppendNumber(*out, command.code);
  if (command.has_fields || !command.fields.empty()) AppendFields(command.fields, *out);
  out->append(",\"flag\":");
  AppendNumber(*out, command.flag);
  out->append(",\"language\":\"");
  out->append(LanguageName(command.language));
  out->append("\",\"opaque\":");
  AppendNumber(*out, command.opaque);
  if (!command.remark.empty()) {
    out->append(",\"remark\":");
    AppendText(*out, command.remark);
  }
  out->append(",\"serializeTypeCurrentRPC\":\"JSON\",\"version\":");
  AppendNumber(*out, command.version);
  out->push_back('}');
}

}  // namespace apogee
