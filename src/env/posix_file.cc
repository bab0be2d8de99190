#include "env/posix_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>

#include "env/posix_error.h"

namespace apogee {
namespace {

class PosixFile final : public File {
 public:
  PosixFile(FileDescriptor fd, std::string path) : fd_(std::move(fd)), path_(std::move(path)) {}

  Status ReadAt(std::int64_t at, std::span<std::byte> into) const override {
    while (!into.empty()) {
      const ssize_t count = ::pread(fd_.get(), into.data(), into.size(), at);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return FailErrno(errno, path_, "read");
      if (count == 0) {
        return Fail(ErrorCode::kCorruption,
                    fmt::format("{}: ends at {}, {} bytes more expected", path_, at, into.size()));
      }
      at += count;
      into = into.subspan(static_cast<std::size_t>(count));
    }
    return Ok();
  }

  Status WriteAt(std::int64_t at, ByteSpan bytes) override {
    while (!bytes.empty()) {
      const ssize_t count = ::pwrite(fd_.get(), bytes.data(), bytes.size(), at);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return FailErrno(errno, path_, "write");
      at += count;
      bytes = bytes.subspan(static_cast<std::size_t>(count));
    }
    return Ok();
  }

  Status Sync() override {
    if (::fdatasync(fd_.get()) != 0) return FailErrno(errno, path_, "sync");
    return Ok();
  }

  Result<std::int64_t> Size() const override {
    struct stat info = {};
    if (::fstat(fd_.get(), &info) != 0) return FailErrno(errno, path_, "stat");
    return static_cast<std::int64_t>(info.st_size);
  }

  Status Truncate(std::int64_t size) override {
    if (::ftruncate(fd_.get(), size) != 0) return FailErrno(errno, path_, "truncate");
    return Ok();
  }

  Status Allocate(std::int64_t size) override { return AllocateBlocks(fd_.get(), size, path_); }

 private:
  const FileDescriptor fd_;
  const std::string path_;
};

}  // namespace

std::unique_ptr<File> MakePosixFile(FileDescriptor fd, std::string path) {
  return std::make_unique<PosixFile>(std::move(fd), std::move(path));
}

Status AllocateBlocks(int fd, std::int64_t size, const std::string& path) {
  if (size <= 0) return Ok();
  int error = 0;
  do {
    error = ::fallocate(fd, 0, 0, size) == 0 ? 0 : errno;
  } while (error == EINTR);
  // The C library writes into every block instead, where the file system cannot reserve them.
  if (error == EOPNOTSUPP) error = ::posix_fallocate(fd, 0, size);
  if (error != 0) return FailErrno(error, path, fmt::format("allocate {} bytes", size));
  return Ok();
}

}  // namespace apogee
