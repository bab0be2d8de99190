#include "env/posix_error.h"

#include <fmt/format.h>

#include <cerrno>
#include <system_error>

namespace apogee {
namespace {

ErrorCode KindOf(int error) {
  switch (error) {
    case ENOENT:
    case ENOTDIR:
      return ErrorCode::kNotFound;
    case EEXIST:
      return ErrorCode::kAlreadyExists;
    case ENOSPC:
    case EDQUOT:
      return ErrorCode::kDiskFull;
    case EACCES:
    case EPERM:
    case EROFS:
      return ErrorCode::kPermissionDenied;
    case EMFILE:
    case ENFILE:
    case ENOMEM:
      return ErrorCode::kResourceExhausted;
    default:
      return ErrorCode::kIo;
  }
}

}  // namespace

std::unexpected<Error> FailErrno(int error, std::string_view path, std::string_view what) {
  return Fail(KindOf(error),
              fmt::format("{}: {}: {}", path, what, std::generic_category().message(error)));
}

}  // namespace apogee
