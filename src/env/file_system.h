// Files and folders. The one door to the disk: the machine's file system, or a fake that forgets or
// tears what was not synced (env/fake/memory_file_system.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace apogee {

// A file open for reading and writing at positions. Threads: any; overlapping writes are the
// caller's care.
class File {
 public:
  virtual ~File() = default;  // Closes.

  // Reads exactly `into.size()` bytes at `at`; kCorruption when the file ends before.
  virtual Status ReadAt(std::int64_t at, std::span<std::byte> into) const = 0;
  // Extends the file when needed. kDiskFull or kIo.
  virtual Status WriteAt(std::int64_t at, ByteSpan bytes) = 0;
  // Data and what is needed to find it again survive a power loss after this (fdatasync), mapped
  // writes included.
  virtual Status Sync() = 0;
  virtual Result<std::int64_t> Size() const = 0;
  virtual Status Truncate(std::int64_t size) = 0;
  // Blocks for [0, size) are really there afterwards, zero where not yet written (fallocate).
  // kDiskFull: the disk cannot hold it.
  virtual Status Allocate(std::int64_t size) = 0;
};

// A whole file mapped shared and writable. The mapping lives as long as this object. Writes through
// data() are seen by all readers of the file at once and are durable after Sync().
class MappedFile {
 public:
  virtual ~MappedFile() = default;  // Unmaps and closes.

  virtual std::byte* data() = 0;
  virtual const std::byte* data() const = 0;
  virtual std::int64_t size() const = 0;
  // Everything written before the call is durable when it returns OK. After an error nothing can be
  // said about unsynced bytes: never retry (PostgreSQL's fsync lesson).
  virtual Status Sync() = 0;
  // Makes pages of [at, at + length) present and writable, so that a first write does not fault. A
  // hint: never fails.
  virtual void Prefault(std::int64_t at, std::int64_t length) = 0;
  // Gives the process's view of [at, at + length) back; the bytes stay in file and page cache. A
  // hint.
  virtual void Forget(std::int64_t at, std::int64_t length) = 0;
};

enum class OpenMode {
  kExisting,      // kNotFound when it is not there.
  kCreateOrOpen,  //
  kCreateNew,     // kAlreadyExists when it is there.
};

struct DirectoryEntry {
  std::string name;
  bool is_directory = false;
  std::int64_t size = 0;  // 0 for folders.
};

// Held exclusive lock on a file; released on destruction or process end.
class FileLock {
 public:
  virtual ~FileLock() = default;
};

// Paths use '/'. Threads: any.
class FileSystem {
 public:
  virtual ~FileSystem() = default;

  virtual Result<std::unique_ptr<File>> Open(const std::string& path, OpenMode mode) = 0;
  // Maps an existing file whole, or creates it with `size` bytes really allocated when it is not
  // there
  // (`size` < 0: must exist). An existing file keeps its own size.
  virtual Result<std::unique_ptr<MappedFile>> Map(const std::string& path, std::int64_t size) = 0;
  // Sorted by name. kNotFound when there is no such folder.
  virtual Result<std::vector<DirectoryEntry>> List(const std::string& directory) = 0;
  // With parents; fine when it exists.
  virtual Status MakeDirectory(const std::string& directory) = 0;
  virtual bool Exists(const std::string& path) = 0;
  // A file or a folder with all in it. kNotFound.
  virtual Status Remove(const std::string& path) = 0;
  // Replaces `to` atomically.
  virtual Status Rename(const std::string& from, const std::string& to) = 0;
  // Names created, renamed or removed in the folder survive a power loss after this.
  virtual Status SyncDirectory(const std::string& directory) = 0;
  // Exclusive lock on byte 0 as Java's FileChannel.lock takes it. kUnavailable when another process
  // has it.
  virtual Result<std::unique_ptr<FileLock>> Lock(const std::string& path) = 0;
  // Bytes of the file system that holds `path`: total and free to us.
  struct Space {
    std::int64_t total = 0;
    std::int64_t available = 0;
  };
  virtual Result<Space> SpaceOf(const std::string& path) = 0;

  // Whole-file conveniences over the calls above. ReadFile is bounded by `limit`
  // (kResourceExhausted).
  Result<std::string> ReadFile(const std::string& path, std::int64_t limit = std::int64_t{1} << 30);
  // Writes and syncs the file itself; neither atomic nor a folder sync.
  Status WriteFile(const std::string& path, std::string_view content);
};

// The machine's. Lives for ever.
FileSystem& SystemFileSystem();

}  // namespace apogee
