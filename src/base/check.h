// AP_CHECK(x): a broken invariant is a bug; stop, in release too, before bad bytes spread.
#pragma once

namespace apogee {

[[noreturn]] void CheckFailed(const char* file, int line, const char* expression);

}  // namespace apogee

#define AP_CHECK(expression)                                  \
  do {                                                        \
    if (!(expression)) [[unlikely]] {                         \
      ::apogee::CheckFailed(__FILE__, __LINE__, #expression); \
    }                                                         \
  } while (false)
