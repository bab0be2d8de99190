#pragma once

#include <string>
#include <string_view>

namespace apogee {

// Removes one code point from the front of `text` (not empty) and returns it. Malformed bytes give
// U+FFFD and are removed as Java's decoder removes them: the longest prefix of a well-formed
// sequence, at least one byte.
char32_t TakeUtf8(std::string_view& text);

// `point` is no surrogate and at most U+10FFFF.
void AppendUtf8(std::string& out, char32_t point);

}  // namespace apogee
