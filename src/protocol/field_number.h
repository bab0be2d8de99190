// Numbers in header fields, for the decoders that walk a field list once.
#pragma once

#include <charconv>
#include <concepts>
#include <string>
#include <string_view>

#include "base/result.h"

namespace apogee {

// False when `text` is no number of this width.
template <std::integral T>
bool ReadFieldNumber(std::string_view text, T* to) {
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, *to);
  return error == std::errc{} && stop == end;
}

inline std::unexpected<Error> BadFieldNumber(std::string_view name, std::string_view text) {
  return Fail(ErrorCode::kInvalidArgument, "the header field " + std::string(name) +
                                               " is no number in range: \"" + std::string(text) +
                                               "\"");
}

inline std::unexpected<Error> MissingField(std::string_view name) {
  return Fail(ErrorCode::kInvalidArgument, "the header field " + std::string(name) + " is missing");
}

}  // namespace apogee
