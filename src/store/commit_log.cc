#include "store/commit_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/bytes.h"
#include "base/check.h"
#include "message/record.h"
#include "message/sys_flag.h"
#include "store/file_names.h"
#include "store/queue_unit.h"

namespace apogee {
namespace {

// What a record may need beyond its body (reference: maxMessageSize + 65536).
constexpr std::int64_t kRecordBytesBeyondBody = 65'536;
// A wall clock that steps back by less than this does not make store times go back.
constexpr std::int64_t kClockSlackMs = 1'000;

// Byte positions of the fields that are read without decoding the whole record.
constexpr std::size_t kSysFlagAt = 36;
constexpr std::size_t kStoreTimeAt = 56;
constexpr std::size_t kStoreTimeAtV6 = 68;
constexpr std::size_t kRecordBytesMin = 91;

// Total size of what begins with `bytes` when that can be a record, 0 when not.
std::int32_t RecordBytesAt(std::string_view bytes) {
  if (bytes.size() < kRecordBytesMin) return 0;
  const auto magic = LoadBigEndian<std::uint32_t>(bytes.data() + 4);
  if (magic != kRecordMagicV1 && magic != kRecordMagicV2) return 0;
  const auto total = LoadBigEndian<std::int32_t>(bytes.data());
  if (total < static_cast<std::int32_t>(kRecordBytesMin)) return 0;
  return static_cast<std::size_t>(total) <= bytes.size() ? total : 0;
}

}  // namespace

CommitLog::CommitLog(const Options& options, SegmentChain& chain, QueueTable& queues, Clock& clock,
                     const LogPosition& at, std::function<Status()> make_next)
    : options_(options),
      chain_(chain),
      queues_(queues),
      clock_(clock),
      make_next_(std::move(make_next)),
      start_(chain.first()->start()),
      current_(chain.last()),
      at_(at),
      tail_(at.end.value()) {
  AP_CHECK(current_->start() <= at.end && at.end <= current_->end());
}

Result<Written> CommitLog::Append(std::span<const RecordFields> messages) {
  AP_TRY(const std::int64_t bytes, CheckMessages(messages));
  while (true) {
    {
      MutexLock lock(mu_);
      if (refusal_) return std::unexpected(*refusal_);
      if (MakeRoom(bytes)) return AppendHere(messages, bytes);
    }
    AP_RETURN_IF_ERROR(make_next_());
  }
}

void CommitLog::Refuse(Error reason) {
  MutexLock lock(mu_);
  if (!refusal_) refusal_ = std::move(reason);
}

std::optional<Error> CommitLog::refusal() const {
  MutexLock lock(mu_);
  return refusal_;
}

void CommitLog::SetNext(std::shared_ptr<Segment> next) {
  MutexLock lock(mu_);
  AP_CHECK(!next_ && next->start() == current_->end());
  next_ = std::move(next);
}

std::shared_ptr<Segment> CommitLog::next() const {
  MutexLock lock(mu_);
  return next_;
}

std::shared_ptr<Segment> CommitLog::TakeNext() {
  MutexLock lock(mu_);
  return std::exchange(next_, nullptr);
}

std::shared_ptr<Segment> CommitLog::current() const {
  MutexLock lock(mu_);
  return current_;
}

LogPosition CommitLog::position() const {
  MutexLock lock(mu_);
  return at_;
}

Result<std::int64_t> CommitLog::CheckMessages(std::span<const RecordFields> messages) const {
  if (messages.empty()) return Fail(ErrorCode::kInvalidArgument, "no message to store");
  if (!IsTopicPathSafe(messages.front().topic)) {
    return Fail(ErrorCode::kInvalidArgument, "the topic cannot name a folder");
  }
  std::int64_t bytes = 0;
  for (const RecordFields& message : messages) {
    if (message.body.size() > static_cast<std::size_t>(options_.message_bytes_max)) {
      return Fail(ErrorCode::kInvalidArgument,
                  fmt::format("message body of {} bytes, at most {} are allowed",
                              message.body.size(), options_.message_bytes_max));
    }
    AP_TRY(const std::int32_t size, EncodedRecordBytes(message));
    if (size > options_.message_bytes_max + kRecordBytesBeyondBody) {
      return Fail(ErrorCode::kInvalidArgument,
                  fmt::format("message of {} bytes, at most {} are allowed", size,
                              options_.message_bytes_max + kRecordBytesBeyondBody));
    }
    AP_CHECK(message.topic == messages.front().topic &&
             message.queue_id == messages.front().queue_id);
    if ((message.sys_flag & kSysFlagInnerBatch) != 0) {
      return Fail(ErrorCode::kInvalidArgument, "inner batches need a batch queue");
    }
    bytes += size;
  }
  if (bytes + kBlankBytes > chain_.segment_bytes()) {
    return Fail(
        ErrorCode::kInvalidArgument,
        fmt::format("{} bytes do not fit into a log file of {}", bytes, chain_.segment_bytes()));
  }
  return bytes;
}

// Ends the current file with a blank and goes to the next when `bytes` do not fit.
bool CommitLog::MakeRoom(std::int64_t bytes) {
  const std::int64_t left = current_->end() - at_.end;
  if (left >= bytes + kBlankBytes) return true;
  if (!next_) return false;
  if (left >= kBlankBytes) {
    char* blank = current_->At(at_.end);
    StoreBigEndian(blank + 4, kBlankMagic);
    StoreBigEndian(blank, static_cast<std::int32_t>(left));
  }
  chain_.Add(next_);
  at_.end = next_->start();
  current_ = std::exchange(next_, nullptr);
  tail_.store(at_.end.value(), std::memory_order_release);
  return true;
}

Written CommitLog::AppendHere(std::span<const RecordFields> messages, std::int64_t bytes) {
  const RecordFields& first = messages.front();
  const bool takes_offset = TakesQueueOffset(first.sys_flag);
  const bool queued = IsQueued(first.sys_flag);
  const std::int64_t now = StoreTime();
  QueueTable::Handle queue;
  std::int64_t offset = 0;
  if (takes_offset) {
    queue = queues_.FindOrCreate({first.topic, first.queue_id});
    offset = queues_.NextOffset(queue);
  }
  Written written;
  Appended& appended = written.appended;
  appended.queue_offset = QueueOffset(offset);
  appended.log_offset = at_.end;
  appended.end = at_.end + bytes;
  appended.store_time_ms = now;
  appended.more_offsets.reserve(messages.size() - 1);

  // The last record first: as long as the first one is not whole, a scan finds none of them.
  LogOffset end = appended.end;
  for (std::size_t i = messages.size(); i-- > 0;) {
    const LogOffset at = end - *EncodedRecordBytes(messages[i]);
    EncodeRecord(messages[i], QueueOffset(takes_offset ? offset + static_cast<std::int64_t>(i) : 0),
                 at, now, current_->At(at));
    if (i > 0) appended.more_offsets.push_back(at);
    end = at;
  }
  AP_CHECK(end == appended.log_offset);
  std::reverse(appended.more_offsets.begin(), appended.more_offsets.end());

  if (queued) {
    for (std::size_t i = 0; i < messages.size(); ++i) {
      const LogOffset at = i == 0 ? appended.log_offset : appended.more_offsets[i - 1];
      const LogOffset behind = i + 1 < messages.size() ? appended.more_offsets[i] : appended.end;
      if (i > 0) written.earlier_tag_codes.push_back(written.tag_code);
      written.tag_code =
          QueueTagCode(first.topic, messages[i].properties, messages[i].more_properties, now);
      queues_.Push(queue, {at, static_cast<std::int32_t>(behind - at), written.tag_code});
    }
    written.entries = static_cast<std::int32_t>(messages.size());
  }
  at_.last_record =
      appended.more_offsets.empty() ? appended.log_offset : appended.more_offsets.back();
  at_.store_time_ms = now;
  at_.end = appended.end;
  tail_.store(at_.end.value(), std::memory_order_release);
  return written;
}

// The wall clock, except that small steps back do not show: time search needs order.
std::int64_t CommitLog::StoreTime() {
  const std::int64_t now = clock_.WallMs();
  const std::int64_t last = at_.store_time_ms;
  return now < last && last - now <= kClockSlackMs ? last : now;
}

Result<RecordRef> CommitLog::Read(LogOffset at, std::int32_t size, LogOffset limit) const {
  const auto gone = [&] {
    return Fail(ErrorCode::kNotFound, fmt::format("no record at log offset {}", at.value()));
  };
  if (at < start_ || at >= limit) return gone();
  std::shared_ptr<Segment> segment = chain_.Find(at);
  if (!segment) return gone();
  const std::string_view bytes = segment->Bytes(at, limit);
  const std::int32_t total = RecordBytesAt(bytes);
  if (total == 0 || (size != 0 && total != size) ||
      LoadBigEndian<std::int64_t>(bytes.data() + kRecordLogOffsetAt) != at.value()) {
    if (size == 0) return gone();
    return Fail(ErrorCode::kCorruption,
                fmt::format("no record of {} bytes at log offset {}", size, at.value()));
  }
  return RecordRef{bytes.substr(0, static_cast<std::size_t>(total)), std::move(segment)};
}

std::int64_t CommitLog::StoreTimeAt(LogOffset at) const {
  const auto record = Read(at, 0, tail());
  if (!record.ok()) return -1;
  const auto sys_flag = LoadBigEndian<std::int32_t>(record->bytes.data() + kSysFlagAt);
  return LoadBigEndian<std::int64_t>(record->bytes.data() + ((sys_flag & kSysFlagBornHostV6) != 0
                                                                 ? kStoreTimeAtV6
                                                                 : kStoreTimeAt));
}

}  // namespace apogee
