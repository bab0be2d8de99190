#include "store/record_scanner.h"

#include "base/bytes.h"

namespace apogee {
namespace {

constexpr std::int64_t kKeptBytes = std::int64_t{16} << 20;

bool IsBlank(std::string_view rest) {
  return rest.size() >= static_cast<std::size_t>(kBlankBytes) &&
         LoadBigEndian<std::uint32_t>(rest.data() + 4) == kBlankMagic &&
         LoadBigEndian<std::uint32_t>(rest.data()) == rest.size();
}

// No checksum covers topic and properties. When the power fails between two pages the second of
// which held a record's end, that end reads as zeros and everything else of the record is right. No
// topic has a zero in it; properties may, so their last byte tells only where nothing follows.
bool EndIsLost(const RecordView& record, const Segment& segment, LogOffset end) {
  if (record.topic.find('\0') != std::string_view::npos) return true;
  if (record.properties.empty() || record.properties.back() != '\0') return false;
  return !RecordAt(segment, end, CrcCheck::kSkip) && !IsBlank(segment.Bytes(end, segment.end()));
}

}  // namespace

std::optional<RecordView> RecordAt(const Segment& segment, LogOffset at, CrcCheck crc) {
  if (!segment.Contains(at)) return std::nullopt;
  const auto record = DecodeRecord(segment.Bytes(at, segment.end()), crc);
  if (!record.ok() || record->log_offset != at) return std::nullopt;
  return *record;
}

std::optional<RecordView> RecordScanner::Next() {
  while (true) {
    if (!segment_ || !segment_->Contains(at_)) {
      if (segment_) segment_->Forget(kept_from_, segment_->end());
      segment_ = chain_.Find(at_);
      kept_from_ = at_;
      if (!segment_) return std::nullopt;
    }
    if (at_ - kept_from_ >= kKeptBytes) {
      segment_->Forget(kept_from_, at_);
      kept_from_ = at_;
    }
    if (const auto record = RecordAt(*segment_, at_, crc_)) {
      const LogOffset end = at_ + static_cast<std::int64_t>(record->bytes.size());
      if (EndIsLost(*record, *segment_, end)) return std::nullopt;
      at_ = end;
      return record;
    }
    if (!IsBlank(segment_->Bytes(at_, segment_->end()))) return std::nullopt;
    at_ = segment_->end();
  }
}

}  // namespace apogee
