// The write side of a store as the broker sees it. Implemented by store/message_store and, later,
// by replication.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "message/record.h"

namespace apogee {

// Where appended messages went.
struct Appended {
  QueueOffset queue_offset;             // Of the first message; the others follow densely.
  LogOffset log_offset;                 // Of the first record.
  std::vector<LogOffset> more_offsets;  // Of the second record and on, for a batch.
  LogOffset end;  // Behind the last record: durable when flushed() has reached it.
  std::int64_t store_time_ms = 0;
};

// What was reached for an append that waited.
enum class Durability { kFlushed, kFlushTimeout, kFailed };

class MessageLog {
 public:
  virtual ~MessageLog() = default;

  // Copies the messages to the tail, all of one topic and queue, consecutively and all or nothing.
  // They can be read once committed() has passed them. Threads: any; runs inline in microseconds
  // and never waits for the disk. kInvalidArgument: message illegal (too long; nothing written).
  // kDiskFull, kIo, kUnavailable: the store takes nothing now; the text names the reason alone
  // (disk full, flush error, shutting down).
  virtual Result<Appended> Append(std::span<const RecordFields> messages) = 0;

  // True when appends must be flushed before they are answered (SYNC_FLUSH).
  virtual bool flush_required() const = 0;

  // Calls `done` exactly once: when everything before `end` is durable, on a failed flush, or when
  // the configured timeout has passed. May call inline when it is so already, otherwise on a
  // background worker: post, do not work.
  using DurableCallback = std::move_only_function<void(Durability)>;
  virtual void AwaitFlushed(LogOffset end, DurableCallback done) = 0;

  virtual LogOffset start() const = 0;      // The oldest record that is there.
  virtual LogOffset tail() const = 0;       // Where the next record goes.
  virtual LogOffset flushed() const = 0;    // Everything before survives a power loss.
  virtual LogOffset committed() const = 0;  // Consumers see everything before.
};

}  // namespace apogee
