// What the world can answer instead of a value: an error with a kind and a text. For disks, peers,
// client input and old files; bugs are AP_CHECK, answers that the protocol knows are values of the
// reply type.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <utility>

namespace apogee {

enum class ErrorCode {
  kInvalidArgument,    // The caller's input is wrong; repeating it cannot help.
  kNotFound,           //
  kAlreadyExists,      //
  kPermissionDenied,   //
  kCorruption,         // Bytes that should be whole are not.
  kIo,                 // The disk or the operating system said no.
  kDiskFull,           // Nothing was written.
  kUnavailable,        // Not now: stopping, closed, not started.
  kTimeout,            //
  kResourceExhausted,  // A bound was met.
  kUnsupported,        // Known, and not served here.
  kInternal,           //
};

std::string_view ErrorCodeName(ErrorCode code);

class Error {
 public:
  Error(ErrorCode code, std::string message) : code_(code), message_(std::move(message)) {}

  ErrorCode code() const { return code_; }
  const std::string& message() const { return message_; }

  // "kind: message", for logs.
  std::string ToString() const;

 private:
  ErrorCode code_;
  std::string message_;
};

template <typename T>
class [[nodiscard]] Result : public std::expected<T, Error> {
 public:
  using std::expected<T, Error>::expected;
  bool ok() const { return this->has_value(); }
};

using Status = Result<void>;

inline Status Ok() {
  return {};
}

inline std::unexpected<Error> Fail(ErrorCode code, std::string message) {
  return std::unexpected<Error>(Error(code, std::move(message)));
}

}  // namespace apogee

#define AP_CONCAT_INNER(a, b) a##b
#define AP_CONCAT(a, b) AP_CONCAT_INNER(a, b)

// AP_TRY(auto file, fs.Open(path)): declares or assigns the value, or returns the error.
#define AP_TRY(target, expression) AP_TRY_IMPL(AP_CONCAT(ap_try_, __LINE__), target, expression)
#define AP_TRY_IMPL(temporary, target, expression)                                  \
  auto temporary = (expression);                                                    \
  if (!temporary.has_value()) return std::unexpected(std::move(temporary).error()); \
  target = std::move(*temporary)

#define AP_RETURN_IF_ERROR(expression)                           \
  do {                                                           \
    if (auto ap_status = (expression); !ap_status.has_value()) { \
      return std::unexpected(std::move(ap_status).error());      \
    }                                                            \
  } while (false)
