#include "server/properties.h"

#include <fmt/core.h>

#include <cstdint>
#include <optional>

namespace apogee {
namespace {

bool IsBlank(char c) {
  return c == ' ' || c == '\t' || c == '\f';
}

std::string_view TrimFront(std::string_view text) {
  while (!text.empty() && IsBlank(text.front())) text.remove_prefix(1);
  return text;
}

std::string Trimmed(std::string text) {
  while (!text.empty() && IsBlank(text.back())) text.pop_back();
  return std::string(TrimFront(text));
}

// Whether the line ends in an odd number of backslashes: it goes on in the next one.
bool IsContinued(std::string_view line) {
  std::size_t slashes = 0;
  while (slashes < line.size() && line[line.size() - 1 - slashes] == '\\') ++slashes;
  return slashes % 2 == 1;
}

void AppendUtf8(std::string& out, std::uint32_t unit) {
  if (unit < 0x80) {
    out += static_cast<char>(unit);
  } else if (unit < 0x800) {
    out += static_cast<char>(0xC0 | (unit >> 6));
    out += static_cast<char>(0x80 | (unit & 0x3F));
  } else {
    out += static_cast<char>(0xE0 | (unit >> 12));
    out += static_cast<char>(0x80 | ((unit >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (unit & 0x3F));
  }
}

std::optional<std::uint32_t> HexUnit(std::string_view digits) {
  if (digits.size() < 4) return std::nullopt;
  std::uint32_t unit = 0;
  for (const char c : digits.substr(0, 4)) {
    const int digit = c >= '0' && c <= '9'   ? c - '0'
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                             : -1;
    if (digit < 0) return std::nullopt;
    unit = unit * 16 + static_cast<std::uint32_t>(digit);
  }
  return unit;
}

Result<std::string> Unescape(std::string_view text, int line) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      out += text[i];
      continue;
    }
    const char c = text[++i];
    switch (c) {
      case 't':
        out += '\t';
        break;
      case 'n':
        out += '\n';
        break;
      case 'r':
        out += '\r';
        break;
      case 'f':
        out += '\f';
        break;
      case 'u': {
        const std::optional<std::uint32_t> unit = HexUnit(text.substr(i + 1));
        if (!unit) {
          return Fail(ErrorCode::kInvalidArgument,
                      fmt::format("line {}: \\u is not followed by four hex digits", line));
        }
        AppendUtf8(out, *unit);
        i += 4;
        break;
      }
      default:
        out += c;
    }
  }
  return out;
}

// Where the key ends: the first '=', ':' or blank that is not escaped.
std::size_t KeyEnd(std::string_view line) {
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\\') {
      ++i;
    } else if (line[i] == '=' || line[i] == ':' || IsBlank(line[i])) {
      return i;
    }
  }
  return line.size();
}

}  // namespace

Result<std::vector<Property>> ParseProperties(std::string_view text) {
  std::vector<Property> properties;
  int number = 0;
  std::string logical;
  int logical_start = 0;
  while (!text.empty() || !logical.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    ++number;
    if (line.ends_with('\r')) line.remove_suffix(1);
    line = TrimFront(line);
    if (logical.empty()) {
      if (line.empty() || line.front() == '#' || line.front() == '!') continue;
      logical_start = number;
    }
    if (IsContinued(line) && !text.empty()) {
      logical += line.substr(0, line.size() - 1);
      continue;
    }
    logical += line;

    const std::size_t key_end = KeyEnd(logical);
    std::string_view rest = TrimFront(std::string_view(logical).substr(key_end));
    if (rest.starts_with('=') || rest.starts_with(':')) rest = TrimFront(rest.substr(1));
    Property property;
    property.line = logical_start;
    AP_TRY(property.key, Unescape(std::string_view(logical).substr(0, key_end), logical_start));
    AP_TRY(std::string value, Unescape(rest, logical_start));
    property.value = Trimmed(std::move(value));
    properties.push_back(std::move(property));
    logical.clear();
  }
  return properties;
}

}  // namespace apogee
