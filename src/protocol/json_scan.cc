#include "protocol/json_scan.h"

#include <charconv>
#include <cstdint>
#include <cstring>

#include "protocol/byte_scan.h"

namespace apogee {
namespace {

constexpr int kDepthMax = 64;

bool IsLiteralByte(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
         c == '+' || c == '.';
}

bool IsNumber(std::string_view token) {
  const std::string_view unsigned_part = token.substr(token.front() == '-' ? 1 : 0);
  if (unsigned_part.empty() || unsigned_part.front() < '0' || unsigned_part.front() > '9') {
    return false;  // Also inf and nan, which from_chars would take.
  }
  if (unsigned_part.find_first_not_of("0123456789") == std::string_view::npos) return true;
  double value = 0;
  const char* const end = token.data() + token.size();
  const auto [stop, error] = std::from_chars(token.data(), end, value);
  return stop == end && error != std::errc::invalid_argument;
}

std::optional<std::uint32_t> HexDigits(const char* at, const char* end, int count) {
  if (end - at < count) return std::nullopt;
  std::uint32_t value = 0;
  for (const char* const stop = at + count; at != stop; ++at) {
    const char letter = static_cast<char>(*at | 0x20);
    if (*at >= '0' && *at <= '9') {
      value = value << 4 | static_cast<std::uint32_t>(*at - '0');
    } else if (letter >= 'a' && letter <= 'f') {
      value = value << 4 | static_cast<std::uint32_t>(letter - 'a' + 10);
    } else {
      return std::nullopt;
    }
  }
  return value;
}

char* PutUtf8(char* to, std::uint32_t point) {
  const auto put = [&to](std::uint32_t byte) { *to++ = static_cast<char>(byte); };
  if (point < 0x80) {
    put(point);
  } else if (point < 0x800) {
    put(0xC0 | point >> 6);
    put(0x80 | (point & 0x3F));
  } else if (point < 0x10000) {
    put(0xE0 | point >> 12);
    put(0x80 | (point >> 6 & 0x3F));
    put(0x80 | (point & 0x3F));
  } else {
    put(0xF0 | point >> 18);
    put(0x80 | (point >> 12 & 0x3F));
    put(0x80 | (point >> 6 & 0x3F));
    put(0x80 | (point & 0x3F));
  }
  return to;
}

// Reads the four digits of \uXXXX at `*at`, and those of a second half that belongs to them.
std::optional<std::uint32_t> TakeCodePoint(const char** at, const char* end) {
  constexpr std::uint32_t kReplacement = 0xFFFD;
  const auto unit = HexDigits(*at, end, 4);
  if (!unit) return std::nullopt;
  *at += 4;
  if (*unit < 0xD800 || *unit > 0xDFFF) return unit;
  if (*unit > 0xDBFF || end - *at < 6 || (*at)[0] != '\\' || (*at)[1] != 'u') return kReplacement;
  const auto low = HexDigits(*at + 2, end, 4);
  if (!low || *low < 0xDC00 || *low > 0xDFFF) return kReplacement;
  *at += 6;
  return 0x10000 + ((*unit - 0xD800) << 10) + (*low - 0xDC00);
}

}  // namespace

void JsonScan::SkipBlanks() {
  while (at_ != end_) {
    const char c = *at_;
    if (c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\f' || c == '\b') {
      ++at_;
      continue;
    }
    if (c != '/' || end_ - at_ < 2) return;
    const std::string_view rest(at_, static_cast<std::size_t>(end_ - at_));
    if (rest[1] == '/') {
      const std::size_t line_end = rest.find('\n');
      at_ = line_end == std::string_view::npos ? end_ : at_ + line_end + 1;
    } else if (rest[1] == '*') {
      const std::size_t close = rest.find("*/", 2);
      if (close == std::string_view::npos) return;  // Left for the caller to stumble over.
      at_ += close + 2;
    } else {
      return;
    }
  }
}

bool JsonScan::TakeQuoted(std::string_view* text, bool* escaped) {
  const char quote = Peek();
  if (quote != '"' && quote != '\'') return false;
  const char* const start = at_ + 1;
  if (end_ - at_ > 2 && at_[2] == quote && at_[1] != quote && at_[1] != '\\') {
    *text = {start, 1};  // A send's names are single letters, many of its values single digits.
    *escaped = false;
    at_ += 3;
    return true;
  }
  const char* stop = FindQuoteOrBackslash(start, end_, quote);
  *escaped = stop != end_ && *stop == '\\';
  while (stop != end_ && *stop == '\\') {
    if (end_ - stop < 2) return false;
    stop = FindQuoteOrBackslash(stop + 2, end_, quote);
  }
  if (stop == end_) return false;
  *text = {start, static_cast<std::size_t>(stop - start)};
  at_ = stop + 1;
  return true;
}

bool JsonScan::TakeLiteral(std::string_view* token) {
  Peek();
  const char* stop = at_;
  while (stop != end_ && IsLiteralByte(*stop)) ++stop;
  if (stop == at_) return false;
  const std::string_view found(at_, static_cast<std::size_t>(stop - at_));
  if (found != "true" && found != "false" && found != "null" && !IsNumber(found)) return false;
  *token = found;
  at_ = stop;
  return true;
}

bool JsonScan::SkipValue(std::string_view* raw) {
  Peek();
  const char* const start = at_;
  if (!SkipNested(0)) return false;
  if (raw != nullptr) *raw = {start, static_cast<std::size_t>(at_ - start)};
  return true;
}

bool JsonScan::SkipNested(int depth) {
  if (depth > kDepthMax) return false;
  std::string_view text;
  bool escaped = false;
  const char first = Peek();
  if (first == '"' || first == '\'') return TakeQuoted(&text, &escaped);
  if (first != '{' && first != '[') return TakeLiteral(&text);
  ++at_;
  const char close = first == '{' ? '}' : ']';
  while (!Take(close)) {  // Also after a trailing comma.
    if (first == '{' && !(TakeQuoted(&text, &escaped) && Take(':'))) return false;
    if (!SkipNested(depth + 1)) return false;
    if (!Take(',')) return Take(close);
  }
  return true;
}

std::optional<std::size_t> Unescape(std::string_view raw, char* to) {
  const char* at = raw.data();
  const char* const end = at + raw.size();
  char* const start = to;
  while (at != end) {
    const auto* stop =
        static_cast<const char*>(std::memchr(at, '\\', static_cast<std::size_t>(end - at)));
    if (stop == nullptr) stop = end;
    std::memcpy(to, at, static_cast<std::size_t>(stop - at));
    to += stop - at;
    if (stop == end) break;
    at = stop + 1;
    if (at == end) return std::nullopt;
    switch (const char c = *at++) {
      case '"':
      case '\'':
      case '\\':
      case '/':
        *to++ = c;
        break;
      case 'b':
        *to++ = '\b';
        break;
      case 'f':
        *to++ = '\f';
        break;
      case 'n':
        *to++ = '\n';
        break;
      case 'r':
        *to++ = '\r';
        break;
      case 't':
        *to++ = '\t';
        break;
      case 'v':
        *to++ = '\v';
        break;
      case 'x': {
        const auto byte = HexDigits(at, end, 2);
        if (!byte) return std::nullopt;
        at += 2;
        to = PutUtf8(to, *byte);
        break;
      }
      case 'u': {
        // The separators of message properties, \u0001 and \u0002, come by the dozen.
        if (end - at >= 4 && at[0] == '0' && at[1] == '0' && at[2] == '0' && at[3] >= '0' &&
            at[3] <= '9') {
          *to++ = static_cast<char>(at[3] - '0');
          at += 4;
          break;
        }
        const auto point = TakeCodePoint(&at, end);
        if (!point) return std::nullopt;
        to = PutUtf8(to, *point);
        break;
      }
      default:
        return std::nullopt;
    }
  }
  return static_cast<std::size_t>(to - start);
}

}  // namespace apogee
