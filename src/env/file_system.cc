#include "env/file_system.h"

#include <fmt/format.h>

namespace apogee {

Result<std::string> FileSystem::ReadFile(const std::string& path, std::int64_t limit) {
  AP_TRY(const std::unique_ptr<File> file, Open(path, OpenMode::kExisting));
  AP_TRY(const std::int64_t size, file->Size());
  if (size > limit) {
    return Fail(ErrorCode::kResourceExhausted,
                fmt::format("{}: {} bytes, at most {} are read", path, size, limit));
  }
  std::string content(static_cast<std::size_t>(size), '\0');
  AP_RETURN_IF_ERROR(
      file->ReadAt(0, std::as_writable_bytes(std::span(content.data(), content.size()))));
  return content;
}

Status FileSystem::WriteFile(const std::string& path, std::string_view content) {
  AP_TRY(const std::unique_ptr<File> file, Open(path, OpenMode::kCreateOrOpen));
  AP_RETURN_IF_ERROR(file->Truncate(0));
  AP_RETURN_IF_ERROR(file->WriteAt(0, AsBytes(content)));
  return file->Sync();
}

}  // namespace apogee
