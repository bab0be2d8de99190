// Json::Dump: compact for the wire, pretty as fastjson writes the files of RocketMQ 5.5's config
// folder.

#include <charconv>
#include <cmath>
#include <iterator>
#include <string>
#include <string_view>
#include <variant>

#include "base/json.h"
#include "base/json_escape.h"
#include "base/lenient_json.h"
#include "base/utf8.h"

namespace apogee {
namespace {

// `text` with everything beyond ASCII as \uXXXX. Right inside a string and for compact JSON text,
// whose only bytes beyond ASCII are inside strings.
void AppendAscii(std::string& out, std::string_view text) {
  while (!text.empty()) {
    const char32_t point = TakeUtf8(text);
    if (point < 0x80) {
      out += static_cast<char>(point);
    } else if (point < 0x10000) {
      AppendJsonUnit(out, static_cast<unsigned>(point));
    } else {
      AppendJsonUnit(out, static_cast<unsigned>(0xD800 + ((point - 0x10000) >> 10)));
      AppendJsonUnit(out, static_cast<unsigned>(0xDC00 + ((point - 0x10000) & 0x3FF)));
    }
  }
}

// Java's Double.toString: always a point, an exponent outside [10^-3, 10^7).
void AppendDouble(std::string& out, double value) {
  if (!std::isfinite(value)) {
    out += "null";
    return;
  }
  const double size = std::fabs(value);
  const bool plain = size == 0 || (size >= 1e-3 && size < 1e7);
  char digits[64];
  const auto result =
      std::to_chars(std::begin(digits), std::end(digits), value,
                    plain ? std::chars_format::fixed : std::chars_format::scientific);
  const std::string_view text(digits, static_cast<std::size_t>(result.ptr - digits));
  if (plain) {
    out += text;
    if (text.find('.') == std::string_view::npos) out += ".0";
    return;
  }
  const std::size_t e = text.find('e');
  const std::string_view mantissa = text.substr(0, e);
  out += mantissa;
  if (mantissa.find('.') == std::string_view::npos) out += ".0";
  out += 'E';
  std::string_view exponent = text.substr(e + 1);
  if (exponent.front() == '-') out += '-';
  exponent.remove_prefix(1);
  while (exponent.size() > 1 && exponent.front() == '0') exponent.remove_prefix(1);
  out += exponent;
}

class Writer {
 public:
  Writer(std::string& out, Json::Style style) : out_(out), style_(style) {}

  void operator()(std::monostate) { out_ += "null"; }
  void operator()(bool value) { out_ += value ? "true" : "false"; }
  void operator()(std::int64_t value) {
    char digits[24];
    const auto result = std::to_chars(std::begin(digits), std::end(digits), value);
    out_.append(digits, result.ptr);
  }
  void operator()(double value) { AppendDouble(out_, value); }
  void operator()(const std::string& text) {
    AppendJsonString(out_, text, style_ == Json::Style::kCompactAscii);
  }

  template <typename Write>
  void Entries(char open, char close, std::size_t count, Write write) {
    out_ += open;
    ++depth_;
    for (std::size_t i = 0; i < count; ++i) {
      if (i > 0) out_ += ',';
      NewLine();
      write(i);
    }
    --depth_;
    if (count > 0) NewLine();
    out_ += close;
  }

  // Only a name that is compact JSON text of an object goes out raw: a name that a peer made up
  // ("{\"a") must not break the document.
  void Name(const std::string& name) {
    if (name.starts_with('{')) {
      if (const auto strict = ToStrictJson(name); strict.ok() && *strict == name) {
        if (style_ == Json::Style::kCompactAscii) {
          AppendAscii(out_, name);
        } else {
          out_ += name;
        }
        return;
      }
    }
    (*this)(name);
  }

 private:
  void NewLine() {
    if (style_ != Json::Style::kPretty) return;
    out_ += '\n';
    out_.append(depth_, '\t');
  }

  std::string& out_;
  const Json::Style style_;
  std::size_t depth_ = 0;
};

}  // namespace

void AppendJsonUnit(std::string& out, unsigned unit) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  out += "\\u";
  for (int shift = 12; shift >= 0; shift -= 4) out += kHex[(unit >> shift) & 0xFU];
}

void AppendJsonEscaped(std::string& out, char byte) {
  switch (byte) {
    case '"':
    case '\\':
      out += '\\';
      out += byte;
      break;
    case '\b':
      out += "\\b";
      break;
    case '\f':
      out += "\\f";
      break;
    case '\n':
      out += "\\n";
      break;
    case '\r':
      out += "\\r";
      break;
    case '\t':
      out += "\\t";
      break;
    default:
      if (static_cast<unsigned char>(byte) < 0x20) {
        AppendJsonUnit(out, static_cast<unsigned char>(byte));
      } else {
        out += byte;
      }
      break;
  }
}

void AppendJsonString(std::string& out, std::string_view text, bool ascii_only) {
  out += '"';
  while (!text.empty()) {
    std::size_t plain = 0;
    while (plain < text.size() && static_cast<unsigned char>(text[plain]) >= 0x20 &&
           text[plain] != '"' && text[plain] != '\\' &&
           static_cast<unsigned char>(text[plain]) < 0x7F) {
      ++plain;
    }
    out += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) break;
    const char c = text.front();
    if (static_cast<unsigned char>(c) >= 0x7F) {
      const std::string_view before = text;
      const char32_t point = TakeUtf8(text);
      const std::string_view taken = before.substr(0, before.size() - text.size());
      if (ascii_only) {
        AppendAscii(out, taken);
      } else if (point == 0xFFFD) {
        out += "\xEF\xBF\xBD";  // Also what was no UTF-8: the document must be.
      } else {
        out += taken;
      }
      continue;
    }
    text.remove_prefix(1);
    AppendJsonEscaped(out, c);
  }
  out += '"';
}

std::string Json::Dump(Style style) const {
  std::string out;
  Writer writer(out, style);
  const auto write = [&writer, &out](const auto& self, const Json& json) -> void {
    if (json.is_array()) {
      const Array& items = json.array();
      writer.Entries('[', ']', items.size(), [&](std::size_t i) { self(self, items[i]); });
    } else if (json.is_object()) {
      const Object& members = json.object();
      writer.Entries('{', '}', members.size(), [&](std::size_t i) {
        writer.Name(members[i].first);
        out += ':';
        self(self, members[i].second);
      });
    } else {
      std::visit(
          [&writer](const auto& value) {
            using T = std::decay_t<decltype(value)>;
            if constexpr (!std::is_same_v<T, Array> && !std::is_same_v<T, Object>) writer(value);
          },
          json.value_);
    }
  };
  write(write, *this);
  return out;
}

}  // namespace apogee
