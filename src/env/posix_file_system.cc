#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include "env/file_descriptor.h"
#include "env/file_system.h"
#include "env/posix_error.h"
#include "env/posix_file.h"

namespace apogee {
namespace {

namespace stdfs = std::filesystem;

constexpr int kFileMode = 0644;

Result<FileDescriptor> OpenFile(const std::string& path, int flags) {
  int fd = -1;
  do {
    fd = ::open(path.c_str(), flags | O_CLOEXEC, kFileMode);
  } while (fd < 0 && errno == EINTR);
  if (fd < 0) return FailErrno(errno, path, "open");
  return FileDescriptor(fd);
}

class PosixFileLock final : public FileLock {
 public:
  explicit PosixFileLock(FileDescriptor fd) : fd_(std::move(fd)) {}

 private:
  const FileDescriptor fd_;  // Closing it drops the lock.
};

// A lock of the open file, not of the process: two opens within one process exclude each other too,
// and another process that asks with fcntl or lockf, as Java does, finds the byte taken.
Status LockByteZero(int fd, const std::string& path) {
  struct flock range = {};
  range.l_type = F_WRLCK;
  range.l_whence = SEEK_SET;
  range.l_start = 0;
  range.l_len = 1;
  if (::fcntl(fd, F_OFD_SETLK, &range) == 0) return Ok();
  // File systems that know the older kind only.
  if (errno == EINVAL && ::fcntl(fd, F_SETLK, &range) == 0) return Ok();
  if (errno == EAGAIN || errno == EACCES) {
    return Fail(ErrorCode::kUnavailable, fmt::format("{}: locked by another process", path));
  }
  return FailErrno(errno, path, "lock");
}

class PosixFileSystem final : public FileSystem {
 public:
  Result<std::unique_ptr<File>> Open(const std::string& path, OpenMode mode) override {
    int flags = O_RDWR;
    if (mode == OpenMode::kCreateOrOpen) flags |= O_CREAT;
    if (mode == OpenMode::kCreateNew) flags |= O_CREAT | O_EXCL;
    AP_TRY(FileDescriptor fd, OpenFile(path, flags));
    return MakePosixFile(std::move(fd), path);
  }

  Result<std::unique_ptr<MappedFile>> Map(const std::string& path, std::int64_t size) override {
    auto opened = OpenFile(path, O_RDWR);
    if (opened.ok()) return MapPosixFile(*std::move(opened), path);
    if (size < 0 || opened.error().code() != ErrorCode::kNotFound) {
      return std::unexpected(std::move(opened).error());
    }
    AP_TRY(FileDescriptor fd, OpenFile(path, O_RDWR | O_CREAT | O_EXCL));
    if (Status allocated = AllocateBlocks(fd.get(), size, path); !allocated.ok()) {
      ::unlink(path.c_str());  // Nobody must find half a file.
      return std::unexpected(std::move(allocated).error());
    }
    return MapPosixFile(std::move(fd), path);
  }

  Result<std::vector<DirectoryEntry>> List(const std::string& directory) override {
    std::error_code error;
    std::vector<DirectoryEntry> entries;
    stdfs::directory_iterator at(directory, error);
    for (; !error && at != stdfs::directory_iterator(); at.increment(error)) {
      DirectoryEntry entry;
      entry.name = at->path().filename().string();
      std::error_code gone;  // Removed while we list: not there.
      const stdfs::file_status status = at->status(gone);
      if (gone && !stdfs::status_known(status)) continue;
      entry.is_directory = stdfs::is_directory(status);
      if (stdfs::is_regular_file(status)) {
        entry.size = static_cast<std::int64_t>(at->file_size(gone));
        if (gone) continue;
      }
      entries.push_back(std::move(entry));
    }
    if (error) return FailErrno(error.value(), directory, "list");
    std::sort(entries.begin(), entries.end(),
              [](const DirectoryEntry& a, const DirectoryEntry& b) { return a.name < b.name; });
    return entries;
  }

  Status MakeDirectory(const std::string& directory) override {
    std::error_code error;
    stdfs::create_directories(directory, error);
    if (error) return FailErrno(error.value(), directory, "make directory");
    return Ok();
  }

  bool Exists(const std::string& path) override {
    struct stat info = {};
    return ::stat(path.c_str(), &info) == 0;
  }

  Status Remove(const std::string& path) override {
    std::error_code error;
    const auto count = stdfs::remove_all(path, error);
    if (error) return FailErrno(error.value(), path, "remove");
    if (count == 0) return FailErrno(ENOENT, path, "remove");
    return Ok();
  }

  Status Rename(const std::string& from, const std::string& to) override {
    if (::rename(from.c_str(), to.c_str()) != 0) {
      return FailErrno(errno, from, fmt::format("rename to {}", to));
    }
    return Ok();
  }

  Status SyncDirectory(const std::string& directory) override {
    AP_TRY(const FileDescriptor fd, OpenFile(directory, O_RDONLY | O_DIRECTORY));
    if (::fsync(fd.get()) != 0) return FailErrno(errno, directory, "sync");
    return Ok();
  }

  Result<std::unique_ptr<FileLock>> Lock(const std::string& path) override {
    AP_TRY(FileDescriptor fd, OpenFile(path, O_RDWR | O_CREAT));
    AP_RETURN_IF_ERROR(LockByteZero(fd.get(), path));
    // What RocketMQ has in there; nobody reads it.
    constexpr std::string_view kText = "lock";
    if (::pwrite(fd.get(), kText.data(), kText.size(), 0) != static_cast<ssize_t>(kText.size())) {
      return FailErrno(errno, path, "write");
    }
    return std::make_unique<PosixFileLock>(std::move(fd));
  }

  Result<Space> SpaceOf(const std::string& path) override {
    struct statvfs info = {};
    if (::statvfs(path.c_str(), &info) != 0) return FailErrno(errno, path, "statvfs");
    const auto block = static_cast<std::int64_t>(info.f_frsize);
    return Space{static_cast<std::int64_t>(info.f_blocks) * block,
                 static_cast<std::int64_t>(info.f_bavail) * block};
  }
};

}  // namespace

FileSystem& SystemFileSystem() {
  static FileSystem& file_system = *new PosixFileSystem();
  return file_system;
}

}  // namespace apogee
