// Walks over JSON text without building values: the pieces that the header decoder is made of.
// Blanks and comments before a piece are passed over. Views point into the text.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace apogee {

class JsonScan {
 public:
  explicit JsonScan(std::string_view text)
      : begin_(text.data()), at_(begin_), end_(begin_ + text.size()) {}

  // The next byte that is no blank; 0 at the end.
  char Peek() {
    if (at_ != end_ && static_cast<unsigned char>(*at_) > ' ' && *at_ != '/') [[likely]] {
      return *at_;
    }
    SkipBlanks();
    return at_ == end_ ? '\0' : *at_;
  }
  bool Take(char c) {
    if (Peek() != c) return false;
    ++at_;
    return true;
  }
  bool AtEnd() {
    SkipBlanks();
    return at_ == end_;
  }
  std::size_t at() const { return static_cast<std::size_t>(at_ - begin_); }

  // A text in single or double quotes, without them; `*escaped` when a backslash is in it. False,
  // and nothing taken, when no whole text stands here.
  bool TakeQuoted(std::string_view* text, bool* escaped);
  // A number, true, false or null.
  bool TakeLiteral(std::string_view* token);
  // Any value, nested at most 64 deep; names in it must be quoted. `raw`: its text.
  bool SkipValue(std::string_view* raw = nullptr);

 private:
  void SkipBlanks();
  bool SkipNested(int depth);

  const char* begin_;
  const char* at_;
  const char* end_;
};

// Resolves the escapes of `raw` (a text without its quotes) into `to`, which has room for
// raw.size() bytes, and returns the bytes written. An unpaired surrogate becomes U+FFFD. nullopt:
// no such escape.
std::optional<std::size_t> Unescape(std::string_view raw, char* to);

}  // namespace apogee
