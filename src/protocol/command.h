// A remoting command and its frame (remoting reference §1):
//
//   length 4 | form 1, header length 3 | header (JSON or binary) | body
//   length counts everything behind itself
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "protocol/fields.h"

namespace apogee {

inline constexpr std::int32_t kFrameBytesMax = 16 * 1024 * 1024;  // With its length field.
inline constexpr std::int32_t kOurVersion = 513;  // As Apache 5.5.0: keeps gated features on.

enum class HeaderForm : std::uint8_t { kJson = 0, kBinary = 1 };

enum class Language : std::uint8_t {
  kJava = 0,
  kCpp,
  kDotnet,
  kPython,
  kDelphi,
  kErlang,
  kRuby,
  kOther,
  kHttp,
  kGo,
  kPhp,
  kOms,
  kRust,
  kNodeJs,
};
std::string_view LanguageName(Language language);  // "JAVA"
Language LanguageFromName(std::string_view name);  // Any case; unknown: kOther.

inline constexpr std::int32_t kFlagResponse = 1;
inline constexpr std::int32_t kFlagOneway = 2;

struct Command {
  std::int32_t code = 0;
  Language language = Language::kJava;
  std::int32_t version = 0;
  std::int32_t opaque = 0;
  std::int32_t flag = 0;
  std::string_view remark;
  Fields fields;
  bool has_fields = false;  // The header carried a field list, possibly an empty one.
  std::string_view body;
  HeaderForm form = HeaderForm::kJson;

  bool is_response() const { return (flag & kFlagResponse) != 0; }
  bool is_oneway() const { return (flag & kFlagOneway) != 0; }
  void Clear();
};

// How far a look at the start of `input` got.
struct FrameScan {
  enum class State {
    kNeedMore,  // `bytes` in all are needed before another look pays off.
    kWhole,     // A frame of `bytes` stands at the start.
    kForeign,  // Not this protocol; `what` names what it looks like ("HTTP/1 request", "TLS hello",
               // …).
    kMalformed,  // This protocol, but broken or over the limit; `what` says how.
  };
  State state = State::kNeedMore;
  std::size_t bytes = 0;
  std::string what;
};
FrameScan ScanFrame(std::string_view input);

// Decodes one whole frame; views in `into` live as long as `frame`. Reuses `into`'s memory.
// kCorruption: the connection must be closed. Codes that the binary form truncates to 16 bits (POP
// family) are understood.
Status DecodeCommand(std::string_view frame, Command* into);

// Appends a whole frame to `out`. The body may come in further pieces behind it: `more_body_bytes`
// are counted in the length field and the caller sends them right after.
void EncodeCommand(const Command& command, std::string* out, std::size_t more_body_bytes = 0);

}  // namespace apogee
