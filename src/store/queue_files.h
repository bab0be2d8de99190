// The files of the consume queues: consumequeue/<topic>/<number>/<20 digits>, all of one size, full
// length from the start (Apache's broker refuses others) and sparse: units are written with
// positioned writes, so a full disk is an error of that write, never a fault, and what is not yet
// written costs no blocks.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/mutex.h"
#include "base/result.h"
#include "env/file_system.h"
#include "store/queue_id.h"
#include "store/queue_unit.h"

namespace apogee {

// Open files are kept in a bounded cache, least recently used first out. Threads: reading from any;
// everything that changes files from one at a time (the owner of the queue writer's mutex, or
// recovery).
class QueueFiles {
 public:
  QueueFiles(std::string directory, std::int64_t file_bytes, std::size_t open_files_max,
             FileSystem& fs);

  // Appends the units [from, from + count) to `out`. kNotFound when a file is gone.
  Status Read(const QueueRef& id, std::int64_t from, std::int64_t count,
              std::vector<QueueEntry>* out);

  // Writes `entries` at `from`. A new file gets its folder, its full length, and fillers before its
  // first unit.
  Status Write(const QueueRef& id, std::int64_t from, std::span<const QueueEntry> entries);
  // Until the next Sync, files that are written may have names that are not durable: those of a
  // process that crashed.
  void DoubtNames() { names_doubtful_ = true; }
  // What was written since the last call survives a power loss, names included.
  Status Sync();

  // Zeroes every unit from `from` on that is not zero, and removes later files.
  Status ClearFrom(const QueueRef& id, std::int64_t from);
  // Removes the file that begins at byte `start` of the queue.
  Status RemoveFile(const QueueRef& id, std::int64_t start);
  // Removes the folder of a queue, or of a topic with all its queues.
  Status RemoveQueue(const QueueRef& id);
  Status RemoveTopic(std::string_view topic);

  std::string DirectoryOf(const QueueRef& id) const;
  const std::string& directory() const { return directory_; }
  std::int64_t units_per_file() const { return file_bytes_ / kQueueUnitBytes; }
  std::int64_t file_bytes() const { return file_bytes_; }
  std::size_t open_files() const;

 private:
  struct Key {
    QueueId id;
    std::int64_t start = 0;  // Byte offset of the file in its queue: its name.
    auto operator<=>(const Key&) const = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const {
      return QueueHash{}(QueueRef(key.id)) * 31 + static_cast<std::size_t>(key.start);
    }
  };
  struct OpenFile {
    std::shared_ptr<File> file;
    std::list<Key>::iterator use;
  };

  // kNotFound when it is not there.
  Result<std::shared_ptr<File>> Find(const Key& key);
  // With fillers for `filled` units. When it fails it will be done again by the next write.
  Result<std::shared_ptr<File>> Create(const Key& key, std::int64_t filled);
  void Remember(const Key& key, std::shared_ptr<File> file);
  void ForgetIf(auto matches);
  std::string PathOf(const Key& key) const;
  void NoteNames(const QueueRef& id);
  Status Fill(File& file, std::int64_t units);

  const std::string directory_;
  const std::int64_t file_bytes_;
  const std::size_t open_files_max_;
  FileSystem& fs_;

  mutable Mutex mu_;
  std::unordered_map<Key, OpenFile, KeyHash> open_ AP_GUARDED_BY(mu_);
  std::list<Key> used_ AP_GUARDED_BY(mu_);  // The most recent one first.

  // Touched by the one writer only.
  bool names_doubtful_ = false;
  std::set<Key> unfinished_;  // Their creation failed half-way.
  std::set<Key> unsynced_;
  std::set<std::string> unsynced_directories_;
};

}  // namespace apogee
