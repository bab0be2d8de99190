// Writes queue entries behind the log: only such as name records that are durable, so that the
// queue files never know more than the log. Then the checkpoint, which says up to which record all
// queue files are complete on the disk; recovery starts there.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "base/result.h"
#include "env/clock.h"
#include "env/workers.h"
#include "store/checkpoint.h"
#include "store/commit_log.h"
#include "store/flusher.h"
#include "store/queue_files.h"
#include "store/queue_table.h"

namespace apogee {

// Writes the tails of queues, as far as their records end at or before `durable`, where at least
// `least` entries are ready. One thread at a time.
Status WriteTails(QueueTable& table, QueueFiles& files, LogOffset durable, std::size_t least);

// Threads: Step runs on the `queues` worker, the rest from any.
class QueueWriter {
 public:
  struct Options {
    std::chrono::milliseconds interval{500};
    // Everything is written, synced and recorded in the checkpoint this often, or after this much
    // log: both bound the work of a recovery.
    std::chrono::milliseconds checkpoint_interval{10'000};
    std::int64_t checkpoint_bytes = std::int64_t{256} << 20;
    // A queue waits for this many entries (a page) before it is written between two checkpoints.
    std::size_t entries_least = 204;
    // With more than this many entries in memory all queues are written at once.
    std::int64_t pending_max = 1'000'000;
  };
  // All must outlive this. `fields`: the checkpoint as it stands on the disk.
  QueueWriter(const Options& options, CommitLog& log, Flusher& flusher, QueueTable& table,
              QueueFiles& files, Checkpoint& checkpoint, const CheckpointFields& fields,
              Clock& clock);

  Workers::Wait Step();

  // Writes and syncs the entries of all flushed records, then the checkpoint. After an error of a
  // sync nothing is written again.
  Status WriteAll();

  // Drops the queues of a topic, and moves the checkpoint behind their records so that no recovery
  // brings them back. Blocks on the disk.
  Status DeleteTopic(std::string_view topic);

 private:
  Status Save(const LogPosition& durable) AP_REQUIRES(writing_);
  Status WriteAllLocked() AP_REQUIRES(writing_);
  void Report(const Status& status);

  const Options options_;
  CommitLog& log_;
  Flusher& flusher_;
  QueueTable& table_;
  QueueFiles& files_;
  Checkpoint& checkpoint_;
  Clock& clock_;

  // Held over file operations, on purpose: it makes the worker, a deletion and the clean stop take
  // turns. No appender and no reader takes it.
  Mutex writing_;
  CheckpointFields fields_ AP_GUARDED_BY(writing_);
  LogOffset saved_to_ AP_GUARDED_BY(writing_);
  std::int64_t saved_ms_ AP_GUARDED_BY(writing_);
  bool failed_ AP_GUARDED_BY(writing_) = false;
};

}  // namespace apogee
