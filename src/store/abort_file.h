// The `abort` file: there while a store is open, so that finding it tells of an abnormal end. Only
// its presence counts; its content is never read.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "env/file_system.h"

namespace apogee {

// Threads: one at a time. Blocks on the disk.
class AbortFile {
 public:
  // `fs` must outlive this.
  AbortFile(std::string path, FileSystem& fs) : path_(std::move(path)), fs_(fs) {}

  bool Exists() { return fs_.Exists(path_); }
  // Durable when it returns OK: before the first append.
  Status Create() {
    AP_TRY(const auto file, fs_.Open(path_, OpenMode::kCreateOrOpen));
    return fs_.SyncDirectory(Directory());
  }
  Status Remove() {
    AP_RETURN_IF_ERROR(fs_.Remove(path_));
    return fs_.SyncDirectory(Directory());
  }

 private:
  std::string Directory() const { return path_.substr(0, path_.rfind('/')); }

  const std::string path_;
  FileSystem& fs_;
};

}  // namespace apogee
