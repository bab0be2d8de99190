// The files of the commit log in order, without gaps, all of one size.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "base/result.h"
#include "env/file_system.h"
#include "store/segment.h"

namespace apogee {

// Threads: any.
class SegmentChain {
 public:
  // What a folder holds, before anything in it is touched.
  struct Listing {
    std::vector<std::int64_t> starts;  // Of whole files, ascending.
    // Names of files behind them that were never used: of length 0, or short and all zero.
    std::vector<std::string> empty;
    std::int64_t segment_bytes = 0;  // Of the files; the default when there are none.
  };
  // Reads only. kCorruption, with a text that says what to do, for a file that is not a log file,
  // has another size than the rest, or leaves a gap. Folders are ignored, as RocketMQ 5 does.
  static Result<Listing> Inspect(const std::string& directory, std::int64_t segment_bytes_default,
                                 FileSystem& fs);

  // Maps all files of `listing` and removes the unused ones.
  static Result<std::unique_ptr<SegmentChain>> Load(const std::string& directory,
                                                    const Listing& listing, FileSystem& fs);

  // Makes the file that begins at `start`, blocks allocated, its name durable; not yet part of the
  // chain. Blocks on the disk.
  Result<std::shared_ptr<Segment>> Create(LogOffset start);

  // Continues the chain: `segment` begins where the last one ends.
  void Add(std::shared_ptr<Segment> segment);

  // Drops all files that begin at or behind `from`, on disk too. Blocks on the disk.
  Status RemoveFrom(LogOffset from);
  // The files' names survive a power loss.
  Status SyncNames() { return fs_.SyncDirectory(directory_); }
  // Removes a file that was created and never added.
  Status Discard(const Segment& segment);

  // nullptr when no file holds `at`.
  std::shared_ptr<Segment> Find(LogOffset at) const;
  // Those that hold a byte of [from, to).
  std::vector<std::shared_ptr<Segment>> Between(LogOffset from, LogOffset to) const;
  std::shared_ptr<Segment> first() const;  // nullptr when empty.
  std::shared_ptr<Segment> last() const;   // nullptr when empty.

  std::int64_t segment_bytes() const { return segment_bytes_; }
  std::string PathOf(LogOffset start) const;

 private:
  SegmentChain(std::string directory, std::int64_t segment_bytes, FileSystem& fs)
      : directory_(std::move(directory)), segment_bytes_(segment_bytes), fs_(fs) {}

  const std::string directory_;
  const std::int64_t segment_bytes_;
  FileSystem& fs_;
  mutable Mutex mu_;
  std::vector<std::shared_ptr<Segment>> segments_ AP_GUARDED_BY(mu_);
};

}  // namespace apogee
