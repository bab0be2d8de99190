// What happens to a store between its files and its first append: find the end of the log, cut what
// is torn, and bring the queues to exactly what the log says.
//
//   checkpoint          cut
//   ....|---------------|xxxxx      queues are trusted before the checkpoint's record, the log is
//       scanned, queue   zeroed     walked from there; only what is missing in the queue files
//       entries made                makes the walk begin earlier
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "env/file_system.h"
#include "message/record.h"
#include "store/checkpoint.h"
#include "store/commit_log.h"
#include "store/file_names.h"
#include "store/queue_files.h"
#include "store/queue_recovery.h"
#include "store/queue_table.h"
#include "store/segment_chain.h"

namespace apogee {

// Threads: one. Blocks on the disk.
class Recovery {
 public:
  struct Options {
    bool clean = false;     // The last process stopped clean (no abort file).
    bool check_crc = true;  // Of record bodies.
    CheckpointFields checkpoint;
  };
  // All must outlive this. `chain` is not empty.
  Recovery(const Options& options, SegmentChain& chain, QueueTable& table, QueueFiles& files,
           Checkpoint& checkpoint_file, FileSystem& fs);

  // Topics whose queues are batch queues (batchconsumequeue/): their records make no entries.
  void SetBatchTopics(std::set<std::string, std::less<>> topics) {
    batch_topics_ = std::move(topics);
  }

  // The position for the next append. Afterwards the table holds all queues; entries that their
  // files lack are in the tails, for the queue writer.
  Result<LogPosition> Run(std::vector<QueueListing> queues);
  // The checkpoint as recovery leaves it: as it was, or vouching for nothing.
  const CheckpointFields& checkpoint() const { return options_.checkpoint; }

  std::int64_t records_scanned() const { return records_; }
  LogOffset scanned_from() const { return scanned_from_; }

 private:
  enum class Walk { kDone, kEntriesMissing };

  LogOffset TrustedUpTo() const;
  Result<Walk> ScanFrom(LogOffset from, LogPosition* end);
  // kEntriesMissing: the record's queue lacks entries of records before the scan.
  Result<Walk> Dispatch(const RecordView& record, bool from_the_start);
  // Before entries that the checkpoint vouches for are taken away: if the process ends before they
  // are written anew, the next one must not believe the checkpoint.
  Status Distrust();
  Status StartQueueAt(const QueueRef& id, std::int64_t offset);
  Status Cut(LogOffset end, LogOffset scanned_from);

  Options options_;
  SegmentChain& chain_;
  QueueTable& table_;
  QueueFiles& files_;
  Checkpoint& checkpoint_file_;
  FileSystem& fs_;
  std::set<std::string, std::less<>> batch_topics_;
  std::int64_t records_ = 0;
  LogOffset scanned_from_;
};

}  // namespace apogee
