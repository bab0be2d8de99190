#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <cerrno>

#include "env/posix_error.h"
#include "env/posix_file.h"

namespace apogee {
namespace {

#if !defined(MADV_POPULATE_WRITE)
constexpr int kPopulateWrite = 23;  // Linux 5.14; the headers here may be older than the kernel.
#else
constexpr int kPopulateWrite = MADV_POPULATE_WRITE;
#endif

std::int64_t PageBytes() {
  static const std::int64_t bytes = ::sysconf(_SC_PAGESIZE);
  return bytes;
}

class PosixMappedFile final : public MappedFile {
 public:
  PosixMappedFile(FileDescriptor fd, std::string path, std::byte* data, std::int64_t size)
      : fd_(std::move(fd)), path_(std::move(path)), data_(data), size_(size) {}
  ~PosixMappedFile() override {
    if (data_ != nullptr) ::munmap(data_, static_cast<std::size_t>(size_));
  }

  std::byte* data() override { return data_; }
  const std::byte* data() const override { return data_; }
  std::int64_t size() const override { return size_; }

  // Writes through the mapping are the file's dirty pages, so syncing the file writes them.
  Status Sync() override {
    if (::fdatasync(fd_.get()) != 0) return FailErrno(errno, path_, "sync");
    return Ok();
  }

  void Prefault(std::int64_t at, std::int64_t length) override {
    const std::int64_t page = PageBytes();
    const std::int64_t begin = std::clamp<std::int64_t>(at, 0, size_) / page * page;
    const std::int64_t end = std::clamp<std::int64_t>(at + length, begin, size_);
    if (begin == end) return;
    if (::madvise(data_ + begin, static_cast<std::size_t>(end - begin), kPopulateWrite) == 0) {
      return;
    }
    if (errno != EINVAL) return;
    // An older kernel: write each page as it is. Atomic, because a writer may be in there already.
    for (std::int64_t i = begin; i < end; i += page) {
      std::atomic_ref<unsigned char>(*reinterpret_cast<unsigned char*>(data_ + i))
          .fetch_or(0, std::memory_order_relaxed);
    }
  }

  void Forget(std::int64_t at, std::int64_t length) override {
    const std::int64_t page = PageBytes();
    // Whole pages only: a neighbour's half page may be in use.
    const std::int64_t begin = (std::clamp<std::int64_t>(at, 0, size_) + page - 1) / page * page;
    const std::int64_t end = std::clamp<std::int64_t>(at + length, 0, size_) / page * page;
    if (begin >= end) return;
    // Shared mappings of files: the pages stay in the page cache, dirty ones too.
    ::madvise(data_ + begin, static_cast<std::size_t>(end - begin), MADV_DONTNEED);
  }

 private:
  const FileDescriptor fd_;
  const std::string path_;
  std::byte* const data_;
  const std::int64_t size_;
};

}  // namespace

Result<std::unique_ptr<MappedFile>> MapPosixFile(FileDescriptor fd, std::string path) {
  struct stat info = {};
  if (::fstat(fd.get(), &info) != 0) return FailErrno(errno, path, "stat");
  const auto size = static_cast<std::int64_t>(info.st_size);
  void* data = nullptr;  // Nothing to map in an empty file.
  if (size > 0) {
    data = ::mmap(nullptr, static_cast<std::size_t>(size), PROT_READ | PROT_WRITE, MAP_SHARED,
                  fd.get(), 0);
    if (data == MAP_FAILED) return FailErrno(errno, path, "map");
  }
  return std::make_unique<PosixMappedFile>(std::move(fd), std::move(path),
                                           static_cast<std::byte*>(data), size);
}

}  // namespace apogee
