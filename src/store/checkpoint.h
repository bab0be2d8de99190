// The `checkpoint` file: up to where log and queue files are known to be on the disk. Conservative:
// never later than what was synced. docs/formats/checkpoint.md has a worked example.
//
//   0                  8                 16             24              32               40
//   | log store time   | queue store time | index time | master flushed | confirm offset | queue
//   log offset | zeros up to 4096
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "env/file_system.h"

namespace apogee {

struct CheckpointFields {
  std::int64_t log_time_ms = 0;     // Store time of the last flushed record.
  std::int64_t queue_time_ms = 0;   // Store time of the last record whose queue entry is synced.
  std::int64_t index_time_ms = 0;   // Kept as found until there is an index.
  std::int64_t master_flushed = 0;  // Kept as found (replication).
  std::int64_t confirm_offset = 0;  // Kept as found (replication).
  // Log offset of the last record whose queue entry, and that of every record before it, is synced.
  // 0: unknown (written by releases before 5.5).
  std::int64_t queue_log_offset = 0;

  bool operator==(const CheckpointFields&) const = default;
};

// Threads: one at a time. Blocks on the disk.
class Checkpoint {
 public:
  // `fs` must outlive this.
  Checkpoint(std::string path, FileSystem& fs) : path_(std::move(path)), fs_(fs) {}

  // All zero when the file is missing or short, or holds what cannot be.
  CheckpointFields Load();
  // In place (one sector), then synced. Does nothing when nothing changed.
  Status Save(const CheckpointFields& fields);

 private:
  const std::string path_;
  FileSystem& fs_;
  std::unique_ptr<File> file_;  // Opened by the first Save.
  CheckpointFields saved_;
};

}  // namespace apogee
