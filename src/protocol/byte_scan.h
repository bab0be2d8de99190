// The two searches over text that every header goes through, many bytes at a time.
#pragma once

#include <string_view>

namespace apogee {

// The first `quote` or backslash in [at, end), or end.
const char* FindQuoteOrBackslash(const char* at, const char* end, char quote);

// Whether JSON must escape anything in `text`: control characters, quotes, backslashes.
bool HasJsonEscapes(std::string_view text);

}  // namespace apogee
