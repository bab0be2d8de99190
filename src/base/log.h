// The process's log lines: "time level thread message" on standard error. Threads: any. Lines are
// written before the call returns, so that what is logged before a crash is there.
#pragma once

#include <fmt/core.h>

#include <atomic>
#include <cstdint>
#include <string_view>
#include <utility>

namespace apogee {

enum class LogLevel { kDebug, kInfo, kWarning, kError, kOff };

void SetLogLevel(LogLevel level);
bool LogEnabled(LogLevel level);
void LogLine(LogLevel level, std::string_view line);

template <typename... Args>
void Log(LogLevel level, fmt::format_string<Args...> format, Args&&... args) {
  if (LogEnabled(level)) LogLine(level, fmt::format(format, std::forward<Args>(args)...));
}
template <typename... Args>
void LogDebug(fmt::format_string<Args...> format, Args&&... args) {
  Log(LogLevel::kDebug, format, std::forward<Args>(args)...);
}
template <typename... Args>
void LogInfo(fmt::format_string<Args...> format, Args&&... args) {
  Log(LogLevel::kInfo, format, std::forward<Args>(args)...);
}
template <typename... Args>
void LogWarning(fmt::format_string<Args...> format, Args&&... args) {
  Log(LogLevel::kWarning, format, std::forward<Args>(args)...);
}
template <typename... Args>
void LogError(fmt::format_string<Args...> format, Args&&... args) {
  Log(LogLevel::kError, format, std::forward<Args>(args)...);
}

// Lets one line through per `period_ms` and counts what it held back. One per place and kind of
// line. `now_ms` is the caller's monotonic clock. Threads: any.
class LogRateLimit {
 public:
  explicit LogRateLimit(std::int64_t period_ms) : period_ms_(period_ms) {}

  // True when the line may be written; then `*suppressed` is the number held back since the last
  // one.
  bool Allow(std::int64_t now_ms, std::int64_t* suppressed);

 private:
  const std::int64_t period_ms_;
  std::atomic<std::int64_t> next_ms_{0};
  std::atomic<std::int64_t> suppressed_{0};
};

}  // namespace apogee
