#include "store/recovery.h"

#include <algorithm>
#include <cstring>

#include "base/log.h"
#include "message/sys_flag.h"
#include "store/queue_unit.h"
#include "store/queue_writer.h"
#include "store/record_scanner.h"

namespace apogee {
namespace {

// A queue that skips more offsets than this was written by a damaged header, not by a broker.
constexpr std::int64_t kGapMax = 1'000'000;
// Entries in memory before they are written, while a whole log is walked.
constexpr std::int64_t kPendingMax = 1'000'000;
// RocketMQ's margin: times in the checkpoint may be ahead of the last file that is synced.
constexpr std::int64_t kTimeMarginMs = 3'000;
constexpr std::int64_t kChunk = 64 * 1024;

}  // namespace

Recovery::Recovery(const Options& options, SegmentChain& chain, QueueTable& table,
                   QueueFiles& files, Checkpoint& checkpoint_file, FileSystem& fs)
    : options_(options),
      chain_(chain),
      table_(table),
      files_(files),
      checkpoint_file_(checkpoint_file),
      fs_(fs) {}

Result<LogPosition> Recovery::Run(std::vector<QueueListing> queues) {
  const LogOffset start = chain_.first()->start();
  LogOffset from = queues.empty() ? start : TrustedUpTo();
  LogPosition end;
  if (!options_.clean) files_.DoubtNames();
  while (true) {
    LogOffset scan_from = from;
    table_.EraseAll();
    for (const QueueListing& queue : queues) {
      if (batch_topics_.contains(queue.id.topic)) continue;
      QueueRecovery recovery(chain_, table_, files_, [this] { return Distrust(); });
      AP_TRY(const LogOffset needed, recovery.Load(queue, from, !options_.clean || from == start));
      scan_from = std::min(scan_from, needed);
    }
    AP_TRY(const Walk walk, ScanFrom(scan_from, &end));
    scanned_from_ = scan_from;
    if (walk == Walk::kDone) break;
    LogWarning("store: queue files lack entries, rebuilding from the whole log");
    from = start;
    AP_RETURN_IF_ERROR(Distrust());
    AP_TRY(queues, ListQueues(files_.directory(), fs_));
  }
  // It may vouch for bytes that are gone; it must not vouch for those that come in their place.
  if (options_.checkpoint.queue_log_offset >= end.end.value()) AP_RETURN_IF_ERROR(Distrust());
  AP_RETURN_IF_ERROR(Cut(end.end, scanned_from_));
  return end;
}

// Entries of records before this place are taken from the queue files.
LogOffset Recovery::TrustedUpTo() const {
  const CheckpointFields& checkpoint = options_.checkpoint;
  if (checkpoint.queue_log_offset > 0) {
    const LogOffset at(checkpoint.queue_log_offset);
    const std::shared_ptr<Segment> segment = chain_.Find(at);
    if (segment && RecordAt(*segment, at, CrcCheck::kSkip)) return at;
  }
  // Releases before 5.5: by file. After a clean stop the newest one will do, after a crash the
  // newest that begins before what the checkpoint's times vouch for.
  const std::int64_t safe_ms =
      std::min(checkpoint.log_time_ms, checkpoint.queue_time_ms) - kTimeMarginMs;
  const LogOffset start = chain_.first()->start();
  for (LogOffset at = chain_.last()->start(); at > start; at = at - chain_.segment_bytes()) {
    const auto record = RecordAt(*chain_.Find(at), at, CrcCheck::kSkip);
    const bool safe =
        options_.clean ? checkpoint.log_time_ms > 0 : record && record->store_time_ms <= safe_ms;
    if (record && safe) return at;
  }
  return start;
}

Result<Recovery::Walk> Recovery::ScanFrom(LogOffset from, LogPosition* end) {
  RecordScanner scanner(chain_, from, options_.check_crc ? CrcCheck::kVerify : CrcCheck::kSkip);
  const bool from_the_start = from == chain_.first()->start();
  *end = {from, from, 0};
  records_ = 0;
  while (const auto record = scanner.Next()) {
    ++records_;
    end->last_record = record->log_offset;
    end->store_time_ms = record->store_time_ms;
    AP_TRY(const Walk walk, Dispatch(*record, from_the_start));
    if (walk == Walk::kEntriesMissing) return walk;
    if (table_.pending() >= kPendingMax) {
      AP_RETURN_IF_ERROR(WriteTails(table_, files_, scanner.at(), 1));
    }
  }
  end->end = scanner.at();
  return Walk::kDone;
}

Result<Recovery::Walk> Recovery::Dispatch(const RecordView& record, bool from_the_start) {
  if (batch_topics_.contains(record.topic)) return Walk::kDone;
  if ((record.sys_flag & kSysFlagInnerBatch) != 0) {
    batch_topics_.emplace(record.topic);
    return Walk::kDone;
  }
  if (!IsQueued(record.sys_flag) || !IsTopicPathSafe(record.topic)) return Walk::kDone;

  const QueueRef id(record.topic, record.queue_id);
  const std::int64_t offset = record.queue_offset.value();
  std::int64_t max = 0;
  std::int64_t last_at = -1;
  const bool known = table_.With(id, [&](const ConsumeQueue& queue) {
    max = queue.max;
    last_at = queue.last_at;
  });
  if (record.log_offset.value() <= last_at) return Walk::kDone;
  if (offset < 0 || offset - max > kGapMax) {
    if (!known && offset >= 0 && from_the_start) {
      AP_RETURN_IF_ERROR(StartQueueAt(id, offset));  // Its beginning went with older files.
      max = offset;
    } else if (!known && offset >= 0) {
      return Walk::kEntriesMissing;
    } else {
      LogWarning("store: the record at {} claims queue offset {} of {}/{}, not queued",
                 record.log_offset.value(), offset, id.topic, id.queue);
      return Walk::kDone;
    }
  }
  if (offset > max && !from_the_start) return Walk::kEntriesMissing;
  if (offset < max) {
    if (offset > 0) return Walk::kDone;  // A repeat, as RocketMQ sees it.
    // The topic was deleted and made anew: the queue begins again.
    AP_RETURN_IF_ERROR(StartQueueAt(id, 0));
    max = 0;
  } else if (offset > max && !known) {
    AP_RETURN_IF_ERROR(StartQueueAt(id, offset));
    max = offset;
  }
  const QueueTable::Handle queue = table_.FindOrCreate(id);
  for (; max < offset; ++max) table_.Push(queue, {record.log_offset, kFillerSize, 0});
  table_.Push(queue, {record.log_offset, static_cast<std::int32_t>(record.bytes.size()),
                      QueueTagCode(record.topic, record.properties, {}, record.store_time_ms)});
  return Walk::kDone;
}

Status Recovery::Distrust() {
  CheckpointFields& fields = options_.checkpoint;
  fields.queue_log_offset = fields.log_time_ms = fields.queue_time_ms = 0;
  return checkpoint_file_.Save(fields);
}

Status Recovery::StartQueueAt(const QueueRef& id, std::int64_t offset) {
  AP_RETURN_IF_ERROR(Distrust());
  AP_RETURN_IF_ERROR(files_.RemoveQueue(id));
  table_.Restore(id, {offset, offset, -1});
  return Ok();
}

// Later files go; what lies behind the end in the last one becomes zeros, so that nothing stale can
// ever continue a record written there. The rest is made durable: it may be in memory only.
Status Recovery::Cut(LogOffset end, LogOffset scanned_from) {
  AP_RETURN_IF_ERROR(chain_.RemoveFrom(end + 1));
  const std::shared_ptr<Segment> last = chain_.last();
  const std::int64_t size = chain_.segment_bytes();
  std::int64_t at = end - last->start();
  bool stale = false;
  if (at < size) {
    AP_TRY(const auto file, fs_.Open(chain_.PathOf(last->start()), OpenMode::kExisting));
    std::vector<std::byte> chunk(kChunk);
    static const std::vector<std::byte> kZeros(kChunk);
    for (std::int64_t look = at; look < size; look += kChunk) {
      const auto bytes =
          std::span(chunk).first(static_cast<std::size_t>(std::min(kChunk, size - look)));
      AP_RETURN_IF_ERROR(file->ReadAt(look, bytes));
      if (std::memcmp(bytes.data(), kZeros.data(), bytes.size()) != 0) {
        stale = true;
        std::memset(last->At(last->start() + look), 0, bytes.size());
      } else if (options_.clean && !stale) {
        break;  // After a clean stop nothing lies behind the end.
      }
    }
  }
  if (stale) LogWarning("store: the log was cut at {}, bytes behind it cleared", end.value());
  if (!options_.clean || stale) {
    for (const auto& segment : chain_.Between(scanned_from, end + 1)) {
      AP_RETURN_IF_ERROR(segment->Sync());
    }
    AP_RETURN_IF_ERROR(chain_.SyncNames());
  }
  return Ok();
}

}  // namespace apogee
