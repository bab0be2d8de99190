// The inodes of MemoryFileSystem: what programs see beside what is on the disk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "env/random.h"

namespace apogee {

inline constexpr std::int64_t kMemoryPageBytes = 4096;

// How a crash treats what was never synced.
enum class CrashMode {
  kProcess,    // The process dies, the machine lives: page cache and folders keep everything.
  kPowerLost,  // Power fails and nothing unsynced had reached the disk.
  kPowerKept,  // Power fails when everything had just been written back.
  kPowerTorn,  // Power fails in between: each unsynced page, file size and change of a folder by
               // chance.
};

struct MemoryNode {
  virtual ~MemoryNode() = default;
};
using MemoryNodeRef = std::shared_ptr<MemoryNode>;

// A file: its bytes as programs see them (the page cache) and as the disk has them.
class MemoryFileNode final : public MemoryNode {
 public:
  // Zero-filled, not on the disk yet.
  MemoryFileNode() = default;

  std::int64_t size() const { return static_cast<std::int64_t>(bytes_->size()); }
  // Stays valid while the size does not change, which is forbidden while it is mapped.
  std::byte* data() { return bytes_->data(); }
  void Resize(std::int64_t size);
  void Sync();

  void AddMapping() { ++mappings_; }
  void DropMapping() { --mappings_; }

  bool locked = false;

  // What is there after the crash, as a node of its own: who still holds the old one (a process
  // that is no more) can do it no harm.
  std::shared_ptr<MemoryFileNode> AfterCrash(CrashMode mode, Random& random) const;

 private:
  using Bytes = std::vector<std::byte>;
  static void Tear(const Bytes& seen, Bytes& disk, Random& random);

  std::unique_ptr<Bytes> bytes_ = std::make_unique<Bytes>();
  Bytes disk_;
  int mappings_ = 0;
};

// A folder. Changes since the last sync of the folder are kept in order: a crash leaves a prefix of
// them, as a journal does.
class MemoryFolderNode final : public MemoryNode {
 public:
  using Entries = std::map<std::string, MemoryNodeRef, std::less<>>;

  const Entries& entries() const { return entries_; }
  MemoryNodeRef Find(std::string_view name) const;
  // nullptr removes. Both changes of a rename within a folder happen together.
  struct Edit {
    std::string name;
    MemoryNodeRef node;
  };
  void Apply(std::vector<Edit> edits);
  void Sync();

  std::shared_ptr<MemoryFolderNode> AfterCrash(CrashMode mode, Random& random) const;

 private:
  static void ApplyTo(Entries& entries, const std::vector<Edit>& edits);

  Entries entries_;
  Entries disk_;
  std::vector<std::vector<Edit>> unsynced_;
};

}  // namespace apogee
