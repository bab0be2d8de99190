#include "base/utf8.h"

#include <cstddef>

namespace apogee {
namespace {

constexpr char32_t kReplacement = 0xFFFD;

// Length of the sequence that `lead` begins and the range of its second byte (RFC 3629, section 4:
// the range excludes overlong forms, surrogates and what lies beyond U+10FFFF).
struct Sequence {
  std::size_t length = 0;  // 0: `lead` begins none.
  unsigned char low = 0x80;
  unsigned char high = 0xBF;
};

Sequence SequenceOf(unsigned char lead) {
  if (lead >= 0xC2 && lead <= 0xDF) return {2};
  if (lead == 0xE0) return {3, 0xA0, 0xBF};
  if (lead == 0xED) return {3, 0x80, 0x9F};
  if (lead >= 0xE1 && lead <= 0xEF) return {3};
  if (lead == 0xF0) return {4, 0x90, 0xBF};
  if (lead >= 0xF1 && lead <= 0xF3) return {4};
  if (lead == 0xF4) return {4, 0x80, 0x8F};
  return {};
}

}  // namespace

char32_t TakeUtf8(std::string_view& text) {
  const auto lead = static_cast<unsigned char>(text.front());
  if (lead < 0x80) {
    text.remove_prefix(1);
    return lead;
  }
  const Sequence sequence = SequenceOf(lead);
  if (sequence.length == 0) {
    text.remove_prefix(1);
    return kReplacement;
  }
  char32_t point = lead & (0x7FU >> sequence.length);
  for (std::size_t i = 1; i < sequence.length; ++i) {
    const unsigned char low = i == 1 ? sequence.low : 0x80;
    const unsigned char high = i == 1 ? sequence.high : 0xBF;
    const auto byte = i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
    if (byte < low || byte > high) {
      text.remove_prefix(i);
      return kReplacement;
    }
    point = (point << 6) | (byte & 0x3FU);
  }
  text.remove_prefix(sequence.length);
  return point;
}

void AppendUtf8(std::string& out, char32_t point) {
  if (point < 0x80) {
    out += static_cast<char>(point);
    return;
  }
  const int more = point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
  const unsigned lead = more == 1 ? 0xC0 : more == 2 ? 0xE0 : 0xF0;
  out += static_cast<char>(lead | (point >> (6 * more)));
  for (int i = more - 1; i >= 0; --i) {
    out += static_cast<char>(0x80 | ((point >> (6 * i)) & 0x3F));
  }
}

}  // namespace apogee
