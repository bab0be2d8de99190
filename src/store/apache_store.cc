#include "store/apache_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/log.h"
#include "store/durable_directory.h"
#include "store/queue_recovery.h"
#include "store/recovery.h"
#include "store/time_search.h"

namespace apogee {
namespace {

constexpr std::size_t kOpenQueueFilesMax = 512;

}  // namespace

Result<std::unique_ptr<MessageStore>> MessageStore::Open(StoreOptions options, FileSystem& fs,
                                                         Clock& clock, Workers& workers) {
  return ApacheStore::Open(std::move(options), fs, clock, workers);
}

ApacheStore::ApacheStore(StoreOptions options, FileSystem& fs, Clock& clock)
    : options_(std::move(options)),
      paths_(options_.root, options_.commit_log),
      fs_(fs),
      clock_(clock),
      abort_(paths_.abort, fs),
      checkpoint_(paths_.checkpoint, fs) {}

Result<std::unique_ptr<ApacheStore>> ApacheStore::Open(StoreOptions options, FileSystem& fs,
                                                       Clock& clock, Workers& workers) {
  std::unique_ptr<ApacheStore> store(new ApacheStore(std::move(options), fs, clock));
  AP_RETURN_IF_ERROR(store->TakeLock());
  AP_RETURN_IF_ERROR(store->LoadLog());
  AP_RETURN_IF_ERROR(store->RecoverAndCompose());
  AP_RETURN_IF_ERROR(store->abort_.Create());
  store->StartWorkers(workers);
  return store;
}

// A start that will be refused leaves no trace, not even a lock file: look first, then lock.
Status ApacheStore::TakeLock() {
  AP_TRY(const auto listing, SegmentChain::Inspect(paths_.commit_log, options_.segment_bytes, fs_));
  if (listing.starts.empty()) {
    AP_TRY(const auto queues, ListQueues(paths_.consume_queue, fs_));
    if (!queues.empty()) {
      return Fail(ErrorCode::kCorruption,
                  fmt::format("{} holds no commit log but {} has {} queues: check "
                              "storePathCommitLog, or move the queues away to start empty",
                              paths_.commit_log, paths_.consume_queue, queues.size()));
    }
  }
  AP_RETURN_IF_ERROR(MakeDurableDirectory(fs_, paths_.root));
  auto lock = fs_.Lock(paths_.lock);
  if (!lock.ok()) {
    return Fail(lock.error().code(), fmt::format("the store {} is in use by another process ({})",
                                                 paths_.root, lock.error().message()));
  }
  lock_ = std::move(*lock);
  return Ok();
}

Status ApacheStore::LoadLog() {
  // Again, now that nobody else can change it.
  AP_TRY(const auto listing, SegmentChain::Inspect(paths_.commit_log, options_.segment_bytes, fs_));
  // Below the root its name becomes durable with that of the abort file.
  if (paths_.commit_log.starts_with(paths_.root + "/")) {
    AP_RETURN_IF_ERROR(fs_.MakeDirectory(paths_.commit_log));
  } else {
    AP_RETURN_IF_ERROR(MakeDurableDirectory(fs_, paths_.commit_log));
  }
  AP_TRY(chain_, SegmentChain::Load(paths_.commit_log, listing, fs_));
  if (!chain_->first()) {
    AP_TRY(auto first, chain_->Create(LogOffset(0)));
    chain_->Add(std::move(first));
  }
  return Ok();
}

Status ApacheStore::RecoverAndCompose() {
  const std::int64_t began_ms = clock_.MonotonicMs();
  const bool clean = !abort_.Exists();
  CheckpointFields checkpoint = checkpoint_.Load();
  AP_TRY(auto queues, ListQueues(paths_.consume_queue, fs_));
  files_ = std::make_unique<QueueFiles>(paths_.consume_queue,
                                        QueueFileBytes(queues, options_.queue_file_bytes),
                                        kOpenQueueFilesMax, fs_);

  Recovery recovery(
      {.clean = clean, .check_crc = options_.check_crc_on_recover, .checkpoint = checkpoint},
      *chain_, table_, *files_, checkpoint_, fs_);
  std::set<std::string, std::less<>> batch_topics;
  if (const auto listed = fs_.List(paths_.batch_consume_queue); listed.ok()) {
    for (const DirectoryEntry& topic : *listed) {
      if (topic.is_directory) batch_topics.insert(topic.name);
    }
  }
  recovery.SetBatchTopics(std::move(batch_topics));
  AP_TRY(const LogPosition position, recovery.Run(std::move(queues)));
  checkpoint = recovery.checkpoint();
  LogInfo("store: {} opened after {} stop, log {}..{}, scanned {} records from {} in {} ms",
          paths_.root, clean ? "a clean" : "an abnormal", chain_->first()->start().value(),
          position.end.value(), recovery.records_scanned(), recovery.scanned_from().value(),
          clock_.MonotonicMs() - began_ms);

  preparer_ = std::make_unique<Preparer>(*chain_, clock_, !flush_required());
  log_ = std::make_unique<CommitLog>(
      CommitLog::Options{.message_bytes_max = options_.message_bytes_max}, *chain_, table_, clock_,
      position, [this] { return preparer_->MakeNext(); });
  preparer_->Attach(*log_);
  flusher_ = std::make_unique<Flusher>(
      Flusher::Options{.mode = options_.flush_mode,
                       .interval = options_.flush_interval,
                       .least_pages = options_.flush_least_pages,
                       .thorough_interval = options_.flush_thorough_interval,
                       .timeout = options_.sync_flush_timeout},
      *log_, *chain_, clock_, flush_worker_, [this](LogOffset flushed) { TellFlushed(flushed); });
  writer_ = std::make_unique<QueueWriter>(
      QueueWriter::Options{.interval = options_.flush_interval,
                           .checkpoint_interval = options_.flush_thorough_interval},
      *log_, *flusher_, table_, *files_, checkpoint_, checkpoint, clock_);
  return Ok();
}

void ApacheStore::StartWorkers(Workers& workers) {
  prepare_worker_.Start(workers, "prepare", [this] { return preparer_->Step(); });
  flush_worker_.Start(workers, "flush", [this] { return flusher_->Step(); });
  queue_worker_.Start(workers, "queues", [this] { return writer_->Step(); });
  if (flush_required()) {
    expire_worker_.Start(workers, "flush-timeout", [this] { return flusher_->ExpireStep(); });
  }
}

void ApacheStore::StopWorkers() {
  prepare_worker_.Stop();
  queue_worker_.Stop();
  flush_worker_.Stop();
  expire_worker_.Stop();
}

ApacheStore::~ApacheStore() {
  StopWorkers();
  if (flusher_) flusher_->FailAll();
}

Status ApacheStore::Close() {
  {
    MutexLock lock(closing_);
    if (std::exchange(closed_, true)) return Ok();
  }
  log_->Refuse(Error(ErrorCode::kUnavailable, "the broker is shutting down"));
  StopWorkers();
  const Status flushed = flusher_->FlushAll();
  flusher_->FailAll();
  AP_RETURN_IF_ERROR(flushed);
  AP_RETURN_IF_ERROR(writer_->WriteAll());
  if (const std::shared_ptr<Segment> unused = log_->TakeNext()) {
    AP_RETURN_IF_ERROR(chain_->Discard(*unused));
  }
  AP_RETURN_IF_ERROR(abort_.Remove());
  lock_.reset();
  return Ok();
}

Result<Appended> ApacheStore::Append(std::span<const RecordFields> messages) {
  AP_TRY(Written written, log_->Append(messages));
  if (preparer_->IsDue(written.appended.end)) prepare_worker_.Wake();
  if (flush_required()) flusher_->Wake();
  if (written.entries > 0) {
    TellArrival({messages.front().topic, messages.front().queue_id}, written);
  }
  return std::move(written.appended);
}

// With SYNC_FLUSH arrivals wait for the flush; the one that comes after it tells itself.
void ApacheStore::TellArrival(const QueueRef& queue, const Written& written) {
  ArrivalListener* listener = listener_.load(std::memory_order_acquire);
  if (listener == nullptr) return;
  QueueOffset next = written.appended.queue_offset;
  const auto tell = [&](std::int64_t tag_code) {
    next += 1;
    if (flush_required()) {
      notes_.Add({written.appended.end, {std::string(queue.topic), queue.queue}, next, tag_code});
    } else {
      listener->OnArrival(queue, next, tag_code);
    }
  };
  for (const std::int64_t tag_code : written.earlier_tag_codes) tell(tag_code);
  tell(written.tag_code);
  if (flush_required() && flushed() >= written.appended.end) TellFlushed(flushed());
}

void ApacheStore::TellFlushed(LogOffset flushed) {
  if (!flush_required()) return;
  ArrivalListener* listener = listener_.load(std::memory_order_acquire);
  for (const ArrivalNote& note : notes_.Take(flushed)) {
    if (listener != nullptr) listener->OnArrival(note.queue, note.next, note.tag_code);
  }
}

void ApacheStore::AwaitFlushed(LogOffset end, DurableCallback done) {
  flusher_->Await(end, std::move(done));
}

void ApacheStore::SetArrivalListener(ArrivalListener* listener) {
  listener_.store(listener, std::memory_order_release);
}

std::optional<QueueRange> ApacheStore::Range(const QueueRef& queue) const {
  std::optional<QueueRange> range;
  const LogOffset limit = committed();
  table_.With(queue, [&](const ConsumeQueue& found) {
    const std::int64_t max = std::max(found.min, found.VisibleEnd(limit));
    range = QueueRange{QueueOffset(found.min), QueueOffset(max)};
  });
  return range;
}

Status ApacheStore::ReadEntries(const QueueRef& queue, QueueOffset from, std::int32_t count,
                                std::vector<QueueEntry>* out) const {
  const LogOffset limit = committed();
  std::int64_t first = 0;    // The first entry wanted,
  std::int64_t in_tail = 0;  // the first of them that is in memory,
  std::int64_t end = 0;      // and the end.
  std::vector<QueueEntry> tail;
  table_.With(queue, [&](const ConsumeQueue& found) {
    first = std::max(from.value(), found.min);
    end = std::min(first + std::max(count, 0), found.VisibleEnd(limit));
    in_tail = std::max(first, found.first_in_tail());
    if (in_tail < end) {
      const auto begin = found.tail.begin() + (in_tail - found.first_in_tail());
      auto& to = in_tail == first ? *out : tail;
      to.insert(to.end(), begin, begin + (end - in_tail));
    }
  });
  if (first >= end || in_tail == first) return Ok();
  const Status read = files_->Read(queue, first, std::min(in_tail, end) - first, out);
  if (!read.ok() && read.error().code() == ErrorCode::kNotFound) return Ok();  // Just deleted.
  AP_RETURN_IF_ERROR(read);
  out->insert(out->end(), tail.begin(), tail.end());
  return Ok();
}

Result<RecordRef> ApacheStore::Read(const QueueEntry& entry) const {
  if (entry.at < preparer_->forgotten()) preparer_->NoteColdRead();
  return log_->Read(entry.at, entry.size, committed());
}

Result<RecordRef> ApacheStore::ReadAt(LogOffset at) const {
  if (at < preparer_->forgotten()) preparer_->NoteColdRead();
  return log_->Read(at, 0, committed());
}

Result<QueueOffset> ApacheStore::OffsetByTime(const QueueRef& queue, std::int64_t time_ms,
                                              TimeBoundary boundary) const {
  const std::optional<QueueRange> range = Range(queue);
  if (!range) return QueueOffset(0);
  return SearchByTime(*range, time_ms, boundary,
                      [&](QueueOffset offset) { return StoreTimeAt(queue, offset); });
}

std::int64_t ApacheStore::StoreTimeAt(const QueueRef& queue, QueueOffset offset) const {
  std::vector<QueueEntry> entry;
  const std::optional<QueueRange> range = Range(queue);
  if (!range || offset < range->min || offset >= range->max) return -1;
  if (!ReadEntries(queue, offset, 1, &entry).ok() || entry.empty()) return -1;
  if (entry.front().at < preparer_->forgotten()) preparer_->NoteColdRead();
  return log_->StoreTimeAt(entry.front().at);
}

bool ApacheStore::InMemory(LogOffset at) const {
  return tail() - at <= options_.in_memory_bytes;
}

Status ApacheStore::DeleteTopic(std::string_view topic) {
  if (!IsTopicPathSafe(topic)) return Fail(ErrorCode::kInvalidArgument, "no topic name");
  return writer_->DeleteTopic(topic);
}

MessageStore::Usage ApacheStore::GetUsage() const {
  Usage usage;
  if (const auto space = fs_.SpaceOf(paths_.commit_log); space.ok()) {
    usage.disk_total = space->total;
    usage.disk_available = space->available;
  }
  usage.earliest_store_time_ms = log_->StoreTimeAt(start());
  usage.flush_behind_bytes = tail() - flushed();
  return usage;
}

}  // namespace apogee
