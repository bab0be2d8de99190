// The store directory as a whole: puts the parts together in the order in which they depend on each
// other, and takes them apart again.
//
//   Append → commit_log (mapped segments, queue entries) ─ flusher ─ queue_writer → queue files
//                 ↑ preparer: next segment, present pages              ↓ checkpoint
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "store/abort_file.h"
#include "store/arrival_notes.h"
#include "store/checkpoint.h"
#include "store/commit_log.h"
#include "store/file_names.h"
#include "store/flusher.h"
#include "store/message_store.h"
#include "store/preparer.h"
#include "store/queue_files.h"
#include "store/queue_table.h"
#include "store/queue_writer.h"
#include "store/segment_chain.h"
#include "store/worker_slot.h"

namespace apogee {

class ApacheStore final : public MessageStore {
 public:
  static Result<std::unique_ptr<ApacheStore>> Open(StoreOptions options, FileSystem& fs,
                                                   Clock& clock, Workers& workers);
  ~ApacheStore() override;

  // MessageLog.
  Result<Appended> Append(std::span<const RecordFields> messages) override;
  bool flush_required() const override { return options_.flush_mode == FlushMode::kSync; }
  void AwaitFlushed(LogOffset end, DurableCallback done) override;
  LogOffset start() const override { return log_->start(); }
  LogOffset tail() const override { return log_->tail(); }
  LogOffset flushed() const override { return flusher_->flushed(); }
  LogOffset committed() const override {
    return options_.flush_mode == FlushMode::kSync ? flushed() : tail();
  }

  // MessageStore.
  void SetArrivalListener(ArrivalListener* listener) override;
  Status Close() override;
  std::optional<QueueRange> Range(const QueueRef& queue) const override;
  Status ReadEntries(const QueueRef& queue, QueueOffset from, std::int32_t count,
                     std::vector<QueueEntry>* out) const override;
  Result<RecordRef> Read(const QueueEntry& entry) const override;
  Result<RecordRef> ReadAt(LogOffset at) const override;
  Result<QueueOffset> OffsetByTime(const QueueRef& queue, std::int64_t time_ms,
                                   TimeBoundary boundary) const override;
  std::int64_t StoreTimeAt(const QueueRef& queue, QueueOffset offset) const override;
  bool InMemory(LogOffset at) const override;
  std::vector<QueueId> Queues() const override { return table_.All(); }
  Status DeleteTopic(std::string_view topic) override;
  Usage GetUsage() const override;

 private:
  ApacheStore(StoreOptions options, FileSystem& fs, Clock& clock);

  // The steps of Open, in this order.
  Status TakeLock();
  Status LoadLog();
  Status RecoverAndCompose();
  void StartWorkers(Workers& workers);

  void StopWorkers();
  void TellArrival(const QueueRef& queue, const Written& written);
  void TellFlushed(LogOffset flushed);

  const StoreOptions options_;
  const StorePaths paths_;
  FileSystem& fs_;
  Clock& clock_;

  std::unique_ptr<FileLock> lock_;
  AbortFile abort_;
  Checkpoint checkpoint_;
  std::unique_ptr<SegmentChain> chain_;
  QueueTable table_;
  std::unique_ptr<QueueFiles> files_;
  std::unique_ptr<CommitLog> log_;
  std::unique_ptr<Preparer> preparer_;
  std::unique_ptr<Flusher> flusher_;
  std::unique_ptr<QueueWriter> writer_;
  std::atomic<ArrivalListener*> listener_{nullptr};
  ArrivalNotes notes_;

  // Stopped by Close or the destructor before anything above goes.
  WorkerSlot prepare_worker_;
  WorkerSlot flush_worker_;
  WorkerSlot expire_worker_;
  WorkerSlot queue_worker_;

  Mutex closing_;
  bool closed_ AP_GUARDED_BY(closing_) = false;
};

}  // namespace apogee
