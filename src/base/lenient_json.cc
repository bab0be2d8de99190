#include "base/lenient_json.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <utility>

#include "base/json.h"
#include "base/json_escape.h"
#include "base/utf8.h"

namespace apogee {
namespace {

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

bool IsNameStart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' ||
         static_cast<unsigned char>(c) >= 0x80;
}

bool IsNameByte(char c) {
  return IsNameStart(c) || IsDigit(c);
}

int HexDigit(char c) {
  if (IsDigit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// One pass of recursive descent, bounded by kJsonDepthMax. Every function returns false at the
// first byte that does not fit, with position_ on it.
class Translator {
 public:
  explicit Translator(std::string_view text) : text_(text) {}

  Result<std::string> Run() {
    std::string out;
    out.reserve(text_.size() + 16);
    if (!Value(out, 0) || !SkipBlanks() || position_ != text_.size()) {
      return Fail(ErrorCode::kCorruption, fmt::format("no JSON at byte {}", position_));
    }
    return out;
  }

 private:
  bool AtEnd() const { return position_ >= text_.size(); }
  char Peek() const { return AtEnd() ? '\0' : text_[position_]; }
  bool At(char c) const { return !AtEnd() && text_[position_] == c; }

  bool Take(char c) {
    if (!At(c)) return false;
    ++position_;
    return true;
  }

  // False at a comment that does not end.
  bool SkipBlanks() {
    while (!AtEnd()) {
      const char c = text_[position_];
      if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\b') {
        ++position_;
      } else if (c == '/') {
        if (!SkipComment()) return false;
      } else {
        break;
      }
    }
    return true;
  }

  bool SkipComment() {
    const std::string_view rest = text_.substr(position_);
    if (rest.starts_with("//")) {
      const std::size_t end = rest.find('\n');
      position_ = end == std::string_view::npos ? text_.size() : position_ + end + 1;
      return true;
    }
    if (!rest.starts_with("/*")) return false;
    const std::size_t end = rest.find("*/", 2);
    if (end == std::string_view::npos) return false;
    position_ += end + 2;
    return true;
  }

  bool Value(std::string& out, int depth) {
    if (!SkipBlanks() || AtEnd()) return false;
    const char c = Peek();
    if (c == '{') return Object(out, depth + 1);
    if (c == '[') return Array(out, depth + 1);
    if (c == '"' || c == '\'') return String(out);
    if (IsDigit(c) || c == '-') return Number(out);
    return Word(out);
  }

  bool Array(std::string& out, int depth) {
    if (depth > kJsonDepthMax) return false;
    ++position_;
    out += '[';
    for (bool first = true;; first = false) {
      if (!SkipBlanks()) return false;
      if (Take(']')) break;
      if (!first) out += ',';
      if (!Value(out, depth) || !SkipBlanks()) return false;
      if (!Take(',') && !At(']')) return false;
    }
    out += ']';
    return true;
  }

  bool Object(std::string& out, int depth) {
    if (depth > kJsonDepthMax) return false;
    ++position_;
    out += '{';
    for (bool first = true;; first = false) {
      if (!SkipBlanks()) return false;
      if (Take('}')) break;
      if (!first) out += ',';
      if (!Name(out, depth) || !SkipBlanks() || !Take(':')) return false;
      out += ':';
      if (!Value(out, depth) || !SkipBlanks()) return false;
      if (!Take(',') && !At('}')) return false;
    }
    out += '}';
    return true;
  }

  bool Name(std::string& out, int depth) {
    const char c = Peek();
    if (c == '"' || c == '\'') return String(out);
    if (c == '{') {
      std::string key;
      if (!Object(key, depth + 1)) return false;
      AppendJsonString(out, key);
      return true;
    }
    const std::size_t begin = position_;
    if (c == '-' || IsDigit(c)) {
      ++position_;
      while (IsDigit(Peek())) ++position_;
      if (!IsDigit(text_[position_ - 1])) return false;
    } else {
      if (!IsNameStart(c)) return false;
      while (!AtEnd() && IsNameByte(Peek())) ++position_;
    }
    out += '"';
    out += text_.substr(begin, position_ - begin);
    out += '"';
    return true;
  }

  bool Word(std::string& out) {
    const std::size_t begin = position_;
    while (!AtEnd() && IsNameByte(Peek())) ++position_;
    const std::string_view word = text_.substr(begin, position_ - begin);
    if (word == "true" || word == "false" || word == "null") {
      out += word;
      return true;
    }
    if (word == "NaN" || word == "undefined") {
      out += "null";
      return true;
    }
    position_ = begin;
    return false;
  }

  bool Digits() {
    if (!IsDigit(Peek())) return false;
    while (IsDigit(Peek())) ++position_;
    return true;
  }

  bool Number(std::string& out) {
    const std::size_t begin = position_;
    Take('-');
    if (At('0') && position_ + 1 < text_.size() && IsDigit(text_[position_ + 1])) return false;
    if (!Digits()) return false;
    bool integer = true;
    if (Take('.')) {
      integer = false;
      if (!Digits()) return false;
    }
    if (At('e') || At('E')) {
      integer = false;
      ++position_;
      if (!Take('+')) Take('-');
      if (!Digits()) return false;
    }
    const std::string_view number = text_.substr(begin, position_ - begin);
    out += number;
    if (integer && !FitsInt64(number)) out += ".0";
    TakeTypeSuffix();
    return true;
  }

  static bool FitsInt64(std::string_view number) {
    std::int64_t value = 0;
    return std::from_chars(number.data(), number.data() + number.size(), value).ec == std::errc();
  }

  // Byte, short, long, float, double, as fastjson writes them when told to keep classes.
  void TakeTypeSuffix() {
    switch (Peek()) {
      case 'B':
      case 'S':
      case 'L':
      case 'F':
      case 'D':
        ++position_;
        break;
      default:
        break;
    }
  }

  bool String(std::string& out) {
    const char quote = text_[position_++];
    out += '"';
    while (!AtEnd()) {
      const char c = text_[position_];
      if (c == quote) {
        ++position_;
        out += '"';
        return true;
      }
      if (c == '\\') {
        if (!Escape(out)) return false;
        continue;
      }
      // A single-quoted string may hold double quotes, any may hold raw control characters.
      AppendJsonEscaped(out, c);
      ++position_;
    }
    return false;
  }

  // Every string has one spelling, so that equal object names are equal texts: escaped is only what
  // must be.
  static void AppendPoint(std::string& out, char32_t point) {
    if (point < 0x80) {
      AppendJsonEscaped(out, static_cast<char>(point));
    } else {
      AppendUtf8(out, point);
    }
  }

  bool Escape(std::string& out) {
    if (position_ + 1 >= text_.size()) return false;
    const char c = text_[position_ + 1];
    switch (c) {
      case '"':
      case '\\':
      case '/':
      case '\'':
        AppendPoint(out, static_cast<unsigned char>(c));
        break;
      case 'b':
        AppendPoint(out, '\b');
        break;
      case 'f':
        AppendPoint(out, '\f');
        break;
      case 'n':
        AppendPoint(out, '\n');
        break;
      case 'r':
        AppendPoint(out, '\r');
        break;
      case 't':
        AppendPoint(out, '\t');
        break;
      case 'v':
        AppendPoint(out, '\v');
        break;
      case 'u':
        return UnicodeEscape(out);
      case 'x':
        return HexEscape(out);
      default:
        if (c < '0' || c > '7') return false;
        AppendPoint(out, static_cast<char32_t>(c - '0'));
        break;
    }
    position_ += 2;
    return true;
  }

  bool HexEscape(std::string& out) {
    if (position_ + 4 > text_.size()) return false;
    const int high = HexDigit(text_[position_ + 2]);
    const int low = HexDigit(text_[position_ + 3]);
    if (high < 0 || low < 0) return false;
    AppendPoint(out, static_cast<char32_t>(high * 16 + low));
    position_ += 4;
    return true;
  }

  // The code unit of the \uXXXX at `at`, or -1.
  int UnitAt(std::size_t at) const {
    if (at + 6 > text_.size() || text_[at] != '\\' || text_[at + 1] != 'u') return -1;
    int unit = 0;
    for (std::size_t i = at + 2; i < at + 6; ++i) {
      const int digit = HexDigit(text_[i]);
      if (digit < 0) return -1;
      unit = unit * 16 + digit;
    }
    return unit;
  }

  // Half a surrogate pair is legal in a Java string and illegal in UTF-8: it becomes U+FFFD.
  bool UnicodeEscape(std::string& out) {
    const int unit = UnitAt(position_);
    if (unit < 0) return false;
    position_ += 6;
    if (unit < 0xD800 || unit > 0xDFFF) {
      AppendPoint(out, static_cast<char32_t>(unit));
      return true;
    }
    const int next = unit < 0xDC00 ? UnitAt(position_) : -1;
    if (next < 0xDC00 || next > 0xDFFF) {
      AppendPoint(out, 0xFFFD);
      return true;
    }
    AppendPoint(out, 0x10000 + (static_cast<char32_t>(unit - 0xD800) << 10) +
                         static_cast<char32_t>(next - 0xDC00));
    position_ += 6;
    return true;
  }

  const std::string_view text_;
  std::size_t position_ = 0;
};

}  // namespace

Result<std::string> ToStrictJson(std::string_view text) {
  return Translator(text).Run();
}

}  // namespace apogee
