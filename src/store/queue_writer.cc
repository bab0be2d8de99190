#include "store/queue_writer.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/log.h"

namespace apogee {

Status WriteTails(QueueTable& table, QueueFiles& files, LogOffset durable, std::size_t least) {
  Status first_error = Ok();
  std::vector<QueueEntry> run;
  for (const QueueTable::Handle& queue : table.TakeDirty()) {
    const std::int64_t from = table.CopyTail(queue, durable, least, &run);
    if (first_error.ok() && !run.empty()) first_error = files.Write(queue.id(), from, run);
    table.Written(queue, first_error.ok() ? run.size() : 0);
  }
  return first_error;
}

QueueWriter::QueueWriter(const Options& options, CommitLog& log, Flusher& flusher,
                         QueueTable& table, QueueFiles& files, Checkpoint& checkpoint,
                         const CheckpointFields& fields, Clock& clock)
    : options_(options),
      log_(log),
      flusher_(flusher),
      table_(table),
      files_(files),
      checkpoint_(checkpoint),
      clock_(clock),
      fields_(fields),
      saved_to_(table.pending() > 0 ? log.start() : flusher.flushed()),
      saved_ms_(clock.MonotonicMs()) {}

Workers::Wait QueueWriter::Step() {
  Status status = Ok();
  {
    MutexLock lock(writing_);
    if (failed_) return options_.interval;
    const LogOffset durable = flusher_.flushed();
    const std::int64_t now = clock_.MonotonicMs();
    const bool behind = durable > saved_to_;
    if (behind && (now - saved_ms_ >= options_.checkpoint_interval.count() ||
                   durable - saved_to_ >= options_.checkpoint_bytes)) {
      status = WriteAllLocked();
    } else if (behind) {
      table_.CoolDown();
      status = WriteTails(table_, files_, durable,
                          table_.pending() > options_.pending_max ? 1 : options_.entries_least);
    } else {
      saved_ms_ = now;  // Idle: the interval counts from the next append.
      table_.CoolDown();
    }
  }
  Report(status);
  return options_.interval;
}

Status QueueWriter::WriteAll() {
  Status status = Ok();
  {
    MutexLock lock(writing_);
    status = failed_ ? Fail(ErrorCode::kIo, "an earlier sync of the queue files failed")
                     : WriteAllLocked();
  }
  Report(status);
  return status;
}

Status QueueWriter::DeleteTopic(std::string_view topic) {
  Status status = Ok();
  {
    MutexLock lock(writing_);
    for (const std::int32_t number : table_.NumbersOf(topic)) {
      log_.WithAppendsHeld([&] { table_.Erase({topic, number}); });
    }
    status = files_.RemoveTopic(topic);
  }
  Report(status);
  AP_RETURN_IF_ERROR(status);
  // Every record of the erased queues is in the log by now: flush, then let the checkpoint pass it.
  AP_RETURN_IF_ERROR(flusher_.FlushAll());
  return WriteAll();
}

Status QueueWriter::WriteAllLocked() {
  const LogPosition durable = flusher_.flushed_position();
  table_.CoolDown();
  AP_RETURN_IF_ERROR(WriteTails(table_, files_, durable.end, 1));
  return Save(durable);
}

Status QueueWriter::Save(const LogPosition& durable) {
  Status synced = files_.Sync();
  if (synced.ok()) {
    fields_.log_time_ms = durable.store_time_ms;
    fields_.queue_time_ms = durable.store_time_ms;
    fields_.queue_log_offset = durable.last_record.value();
    synced = checkpoint_.Save(fields_);
  }
  if (!synced.ok()) {
    failed_ = true;
    return Fail(ErrorCode::kIo,
                fmt::format("flush error: queue files: {}", synced.error().message()));
  }
  saved_to_ = durable.end;
  saved_ms_ = clock_.MonotonicMs();
  return Ok();
}

// A full disk passes: the log is the truth, entries stay in memory and the next step tries again.
// Anything else stops the store.
void QueueWriter::Report(const Status& status) {
  if (status.ok()) return;
  if (status.error().code() == ErrorCode::kDiskFull) {
    LogWarning("store: queue files cannot be written now: {}", status.error().message());
    if (table_.pending() > 4 * options_.pending_max) {
      log_.Refuse(Error(ErrorCode::kDiskFull, "disk full"));
    }
    return;
  }
  LogError("store: queue files: {}", status.error().ToString());
  log_.Refuse(status.error());
}

}  // namespace apogee
