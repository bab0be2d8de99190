#include "protocol/byte_scan.h"

#if defined(__SSE2__)
#include <emmintrin.h>

#include <bit>
#endif

namespace apogee {

const char* FindQuoteOrBackslash(const char* at, const char* end, char quote) {
#if defined(__SSE2__)
  const __m128i quotes = _mm_set1_epi8(quote);
  const __m128i backslashes = _mm_set1_epi8('\\');
  while (end - at >= 16) {
    const __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    const auto hits = static_cast<unsigned>(_mm_movemask_epi8(
        _mm_or_si128(_mm_cmpeq_epi8(block, quotes), _mm_cmpeq_epi8(block, backslashes))));
    if (hits != 0) return at + std::countr_zero(hits);
    at += 16;
  }
#endif
  while (at != end && *at != quote && *at != '\\') ++at;
  return at;
}

bool HasJsonEscapes(std::string_view text) {
  const char* at = text.data();
  const char* const end = at + text.size();
#if defined(__SSE2__)
  const __m128i quotes = _mm_set1_epi8('"');
  const __m128i backslashes = _mm_set1_epi8('\\');
  const __m128i last_control = _mm_set1_epi8(0x1F);
  while (end - at >= 16) {
    const __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    // A byte is a control character when the smaller of it and 0x1F is itself.
    const __m128i controls = _mm_cmpeq_epi8(_mm_min_epu8(block, last_control), block);
    const __m128i others =
        _mm_or_si128(_mm_cmpeq_epi8(block, quotes), _mm_cmpeq_epi8(block, backslashes));
    if (_mm_movemask_epi8(_mm_or_si128(controls, others)) != 0) return true;
    at += 16;
  }
#endif
  for (; at != end; ++at) {
    if (static_cast<unsigned char>(*at) < 0x20 || *at == '"' || *at == '\\') return true;
  }
  return false;
}

}  // namespace apogee
