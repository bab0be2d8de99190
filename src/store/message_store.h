// A RocketMQ store directory, open: the commit log with its consume queues, checkpoint, abort and
// lock file, in Apache's format (docs/formats/). The log is the truth; queue files are written
// behind from it and what a crash took of them is rebuilt from the log at Open.
//
//   start() ........ committed() ... tail()
//   readable by all  | SYNC_FLUSH: waits for the flush; ASYNC_FLUSH: committed() == tail()
//
// Threads: any, unless a call says otherwise. Background work (`flush`, `prepare`) runs on
// `workers`. Lifetime: everything handed to Open must outlive the store. A RecordRef keeps its
// bytes mapped while it lives, also after the store has deleted the file (it is unlinked, not
// unmapped).
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "env/clock.h"
#include "env/file_system.h"
#include "env/workers.h"
#include "store/arrival_listener.h"
#include "store/message_log.h"
#include "store/queue_id.h"

namespace apogee {

enum class FlushMode { kAsync, kSync };

struct StoreOptions {
  std::string root;        // storePathRootDir
  std::string commit_log;  // storePathCommitLog; empty: root/commitlog
  std::int64_t segment_bytes = std::int64_t{1}
                               << 30;  // For new directories; existing files tell their own size.
  std::int64_t queue_file_bytes = 6'000'000;         // Multiple of 20; likewise.
  std::int32_t message_bytes_max = 4 * 1024 * 1024;  // Body.
  FlushMode flush_mode = FlushMode::kAsync;
  std::chrono::milliseconds flush_interval{500};              // flushIntervalCommitLog
  std::int32_t flush_least_pages = 4;                         // flushCommitLogLeastPages
  std::chrono::milliseconds flush_thorough_interval{10'000};  // flushCommitLogThoroughInterval
  std::chrono::milliseconds sync_flush_timeout{5'000};        // syncFlushTimeout
  bool check_crc_on_recover = true;                           // checkCRCOnRecover
  // A record this far behind the tail still counts as in memory (accessMessageInMemoryMaxRatio of
  // the RAM).
  std::int64_t in_memory_bytes = std::int64_t{4} << 30;
};

// One entry of a consume queue.
struct QueueEntry {
  LogOffset at;
  std::int32_t size = 0;
  std::int64_t tag_code = 0;
};

// What of a queue can be read now: [min, max), bounded by committed().
struct QueueRange {
  QueueOffset min;
  QueueOffset max;
};

// The bytes of one record in the mapped log.
struct RecordRef {
  std::string_view bytes;
  std::shared_ptr<const void> pin;
};

enum class TimeBoundary { kLower, kUpper };

class MessageStore : public MessageLog {
 public:
  // Takes the lock file, loads, recovers from what the last process left behind and starts the
  // workers. A refused start (lock held, files of mixed sizes, foreign files) changes no byte of
  // the store.
  static Result<std::unique_ptr<MessageStore>> Open(StoreOptions options, FileSystem& fs,
                                                    Clock& clock, Workers& workers);

  // Who is told of arrivals. Set before the first append, or nullptr; must outlive the store or be
  // taken back.
  virtual void SetArrivalListener(ArrivalListener* listener) = 0;

  // Ends clean: appends are refused, everything is flushed, checkpoint written, abort file removed.
  // Idempotent. Without it the destructor leaves the directory as a crash of the process would.
  virtual Status Close() = 0;

  // nullopt when nothing was ever stored in the queue (asking creates nothing).
  virtual std::optional<QueueRange> Range(const QueueRef& queue) const = 0;

  // Up to `count` entries from `from` on; fewer at the end. Bounded by committed().
  virtual Status ReadEntries(const QueueRef& queue, QueueOffset from, std::int32_t count,
                             std::vector<QueueEntry>* out) const = 0;

  // The record that an entry names. kNotFound when the log no longer has it, kCorruption when the
  // bytes there are not a record of that size.
  virtual Result<RecordRef> Read(const QueueEntry& entry) const = 0;
  // The record that begins at `at`, whatever its size (view by id). kNotFound when none does.
  virtual Result<RecordRef> ReadAt(LogOffset at) const = 0;

  // Lower: the first message stored at or after `time_ms`, max when all are older. Upper: the last
  // stored at or before, 0 when all are younger. Equal times: first / last of the run. 0 for a
  // queue that does not exist.
  virtual Result<QueueOffset> OffsetByTime(const QueueRef& queue, std::int64_t time_ms,
                                           TimeBoundary boundary) const = 0;
  // Store time of the message at `offset`; -1 when there is none.
  virtual std::int64_t StoreTimeAt(const QueueRef& queue, QueueOffset offset) const = 0;
  // Whether a record counts as in memory: within in_memory_bytes of the tail.
  virtual bool InMemory(LogOffset at) const = 0;

  // All queues that have or had messages.
  virtual std::vector<QueueId> Queues() const = 0;
  // Drops all queues of the topic, files and positions. Records stay in the log. Blocks on the
  // disk: not on a loop.
  virtual Status DeleteTopic(std::string_view topic) = 0;

  struct Usage {
    std::int64_t disk_total = 0;
    std::int64_t disk_available = 0;
    std::int64_t earliest_store_time_ms = -1;
    std::int64_t flush_behind_bytes = 0;
  };
  virtual Usage GetUsage() const = 0;
};

}  // namespace apogee
