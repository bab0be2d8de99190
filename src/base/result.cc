#include "base/result.h"

namespace apogee {

std::string_view ErrorCodeName(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidArgument:
      return "invalid argument";
    case ErrorCode::kNotFound:
      return "not found";
    case ErrorCode::kAlreadyExists:
      return "already exists";
    case ErrorCode::kPermissionDenied:
      return "permission denied";
    case ErrorCode::kCorruption:
      return "corruption";
    case ErrorCode::kIo:
      return "I/O error";
    case ErrorCode::kDiskFull:
      return "disk full";
    case ErrorCode::kUnavailable:
      return "unavailable";
    case ErrorCode::kTimeout:
      return "timeout";
    case ErrorCode::kResourceExhausted:
      return "resource exhausted";
    case ErrorCode::kUnsupported:
      return "unsupported";
    case ErrorCode::kInternal:
      return "internal error";
  }
  return "unknown error";
}

std::string Error::ToString() const {
  std::string text(ErrorCodeName(code_));
  text += ": ";
  text += message_;
  return text;
}

}  // namespace apogee
