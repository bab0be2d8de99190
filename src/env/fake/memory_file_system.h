// A file system in memory that crashes. What was not synced survives the death of the process and
// is lost, kept or torn when the power fails (CrashMode); writes through a mapping are unsynced
// like any other, and so are names of files until their folder is synced. Real behaviour, no
// expectations: store tests and the simulator run on it as on the machine's.
//
//   fs.Crash(mode, random)   From here on every call of the dying process fails, also through what
//                            it holds open; its mappings write into the void.
//   destroy the store
//   fs.Restart()             The next process finds what the crash left.
//
// Threads: any for files and folders, except overlapping writes; Crash and Restart alone.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "env/fake/memory_node.h"
#include "env/file_system.h"

namespace apogee {

// What files and mappings share with their file system, and may outlive it with.
struct MemoryDisk {
  Mutex mu;
  std::shared_ptr<MemoryFolderNode> root AP_GUARDED_BY(mu) = std::make_shared<MemoryFolderNode>();
  std::uint64_t process AP_GUARDED_BY(mu) = 0;  // Handles of an earlier one are dead.
  bool crashed AP_GUARDED_BY(mu) = false;
  std::int64_t calls_until_death AP_GUARDED_BY(mu) = -1;
  std::int64_t space AP_GUARDED_BY(mu) = std::int64_t{1} << 40;
  std::int64_t used AP_GUARDED_BY(mu) = 0;
  std::int64_t syncs_until_failure AP_GUARDED_BY(mu) = -1;
  std::int64_t reads_until_short AP_GUARDED_BY(mu) = -1;
  std::int64_t syncs AP_GUARDED_BY(mu) = 0;
};

class MemoryFileSystem final : public FileSystem {
 public:
  MemoryFileSystem() = default;

  Result<std::unique_ptr<File>> Open(const std::string& path, OpenMode mode) override;
  Result<std::unique_ptr<MappedFile>> Map(const std::string& path, std::int64_t size) override;
  Result<std::vector<DirectoryEntry>> List(const std::string& directory) override;
  Status MakeDirectory(const std::string& directory) override;
  bool Exists(const std::string& path) override;
  Status Remove(const std::string& path) override;
  Status Rename(const std::string& from, const std::string& to) override;
  Status SyncDirectory(const std::string& directory) override;
  Result<std::unique_ptr<FileLock>> Lock(const std::string& path) override;
  Result<Space> SpaceOf(const std::string& path) override;

  void Crash(CrashMode mode, Random& random);
  // Every call after `calls` more fails with kIo: a crash in the middle of what the process is
  // doing. Crash says how it ends.
  void DieAfter(std::int64_t calls);
  bool is_dying() const;
  void Restart();
  // Everything is on the disk: files and names.
  void SyncAll();

  // The sync of a file or folder after `successes` more fails with kIo, and all after it do. The
  // failed one may have written any part: a later crash tears it.
  void FailSyncsAfter(std::int64_t successes);
  void HealSyncs();
  // The disk holds `bytes` in all: what would need more is refused with kDiskFull.
  void SetSpace(std::int64_t bytes);
  // The read after `successes` more finds the file cut short (kCorruption), once.
  void CutReadAfter(std::int64_t successes);
  // Of files, mappings and folders, so far.
  std::int64_t syncs() const;

 private:
  const std::shared_ptr<MemoryDisk> disk_ = std::make_shared<MemoryDisk>();
};

}  // namespace apogee
