#include "env/fake/memory_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace apogee {

Status CheckAlive(MemoryDisk& disk, std::uint64_t process) {
  if (disk.calls_until_death == 0) return Fail(ErrorCode::kIo, "the process is dying");
  if (disk.calls_until_death > 0) --disk.calls_until_death;
  if (disk.crashed || disk.process != process) return Fail(ErrorCode::kIo, "the machine crashed");
  return Ok();
}

Status CountSync(MemoryDisk& disk, const std::string& path) {
  ++disk.syncs;
  if (disk.syncs_until_failure == 0) return Fail(ErrorCode::kIo, path + ": sync: injected error");
  if (disk.syncs_until_failure > 0) --disk.syncs_until_failure;
  return Ok();
}

Status ResizeFile(MemoryDisk& disk, MemoryFileNode& node, std::int64_t size,
                  const std::string& path) {
  const std::int64_t more = size - node.size();
  if (more > 0 && disk.used + more > disk.space) {
    return Fail(ErrorCode::kDiskFull, fmt::format("{}: no space for {} bytes", path, size));
  }
  node.Resize(size);
  disk.used += more;
  return Ok();
}

namespace {

class MemoryFile final : public File {
 public:
  MemoryFile(std::shared_ptr<MemoryDisk> disk, std::shared_ptr<MemoryFileNode> node,
             std::uint64_t process, std::string path)
      : disk_(std::move(disk)), node_(std::move(node)), process_(process), path_(std::move(path)) {}

  Status ReadAt(std::int64_t at, std::span<std::byte> into) const override {
    const MutexLock lock(disk_->mu);
    AP_RETURN_IF_ERROR(CheckAlive(*disk_, process_));
    const bool cut = disk_->reads_until_short == 0;
    if (disk_->reads_until_short >= 0) --disk_->reads_until_short;
    const auto size = static_cast<std::int64_t>(into.size());
    if (at < 0 || at + size > node_->size() || cut) {
      return Fail(ErrorCode::kCorruption,
                  fmt::format("{}: ends before {} bytes at {}", path_, size, at));
    }
    std::copy_n(node_->data() + at, size, into.begin());
    return Ok();
  }

  Status WriteAt(std::int64_t at, ByteSpan bytes) override {
    const MutexLock lock(disk_->mu);
    AP_RETURN_IF_ERROR(CheckAlive(*disk_, process_));
    const std::int64_t end = at + static_cast<std::int64_t>(bytes.size());
    if (end > node_->size()) AP_RETURN_IF_ERROR(ResizeFile(*disk_, *node_, end, path_));
    std::copy(bytes.begin(), bytes.end(), node_->data() + at);
    return Ok();
  }

  Status Sync() override {
    const MutexLock lock(disk_->mu);
    AP_RETURN_IF_ERROR(CheckAlive(*disk_, process_));
    AP_RETURN_IF_ERROR(CountSync(*disk_, path_));
    node_->Sync();
    return Ok();
  }

  Result<std::int64_t> Size() const override {
    const MutexLock lock(disk_->mu);
    AP_RETURN_IF_ERROR(CheckAlive(*disk_, process_));
    return node_->size();
  }

  Status Truncate(std::int64_t size) override {
    const MutexLock lock(disk_->mu);
    AP_RETURN_IF_ERROR(CheckAlive(*disk_, process_));
    return ResizeFile(*disk_, *node_, size, path_);
  }

  Status Allocate(std::int64_t size) override {
    const MutexLock lock(disk_->mu);
    AP_RETURN_IF_ERROR(CheckAlive(*disk_, process_));
    if (size <= node_->size()) return Ok();
    return ResizeFile(*disk_, *node_, size, path_);
  }

 private:
  const std::shared_ptr<MemoryDisk> disk_;
  const std::shared_ptr<MemoryFileNode> node_;
  const std::uint64_t process_;
  const std::string path_;
};

class MemoryMapping final : public MappedFile {
 public:
  MemoryMapping(std::shared_ptr<MemoryDisk> disk, std::shared_ptr<MemoryFileNode> node,
                std::uint64_t process, std::string path)
      : disk_(std::move(disk)),
        node_(std::move(node)),
        process_(process),
        path_(std::move(path)),
        data_(node_->data()),
        size_(node_->size()) {
    node_->AddMapping();
  }
  ~MemoryMapping() override {
    const MutexLock lock(disk_->mu);
    node_->DropMapping();
  }

  std::byte* data() override { return data_; }
  const std::byte* data() const override { return data_; }
  std::int64_t size() const override { return size_; }

  Status Sync() override {
    const MutexLock lock(disk_->mu);
    AP_RETURN_IF_ERROR(CheckAlive(*disk_, process_));
    AP_RETURN_IF_ERROR(CountSync(*disk_, path_));
    node_->Sync();
    return Ok();
  }
  void Prefault(std::int64_t, std::int64_t) override {}
  void Forget(std::int64_t, std::int64_t) override {}

 private:
  const std::shared_ptr<MemoryDisk> disk_;
  const std::shared_ptr<MemoryFileNode> node_;
  const std::uint64_t process_;
  const std::string path_;
  std::byte* const data_;
  const std::int64_t size_;
};

class MemoryLock final : public FileLock {
 public:
  MemoryLock(std::shared_ptr<MemoryDisk> disk, std::shared_ptr<MemoryFileNode> node)
      : disk_(std::move(disk)), node_(std::move(node)) {}
  ~MemoryLock() override {
    const MutexLock lock(disk_->mu);
    node_->locked = false;
  }

 private:
  const std::shared_ptr<MemoryDisk> disk_;
  const std::shared_ptr<MemoryFileNode> node_;
};

}  // namespace

std::unique_ptr<File> MakeMemoryFile(std::shared_ptr<MemoryDisk> disk,
                                     std::shared_ptr<MemoryFileNode> node, std::uint64_t process,
                                     std::string path) {
  return std::make_unique<MemoryFile>(std::move(disk), std::move(node), process, std::move(path));
}

std::unique_ptr<MappedFile> MakeMemoryMapping(std::shared_ptr<MemoryDisk> disk,
                                              std::shared_ptr<MemoryFileNode> node,
                                              std::uint64_t process, std::string path) {
  return std::make_unique<MemoryMapping>(std::move(disk), std::move(node), process,
                                         std::move(path));
}

std::unique_ptr<FileLock> MakeMemoryLock(std::shared_ptr<MemoryDisk> disk,
                                         std::shared_ptr<MemoryFileNode> node) {
  return std::make_unique<MemoryLock>(std::move(disk), std::move(node));
}

}  // namespace apogee
