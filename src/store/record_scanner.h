// Walks the log record by record and stops at the first place that does not hold a whole one: wrong
// magic, lengths that do not add up, a body that does not match its checksum, an end that a power
// loss took, or a record that says it belongs to another place (left over from before a cut).
#pragma once

#include <optional>

#include "base/ids.h"
#include "message/record.h"
#include "store/segment_chain.h"

namespace apogee {

// Threads: one. Memory: gives the mapped pages back as it goes.
class RecordScanner {
 public:
  // `chain` must outlive this. `from` is where a record begins.
  RecordScanner(const SegmentChain& chain, LogOffset from, CrcCheck crc)
      : chain_(chain), crc_(crc), at_(from), kept_from_(from) {}

  // The next record, valid until the next call; nullopt at the end, which at() then names.
  std::optional<RecordView> Next();

  // Behind the last record; the first byte of the next file where a blank follows it.
  LogOffset at() const { return at_; }

 private:
  const SegmentChain& chain_;
  const CrcCheck crc_;
  LogOffset at_;
  LogOffset kept_from_;
  std::shared_ptr<Segment> segment_;
};

// The record that begins at `at`, checked as the scanner does.
std::optional<RecordView> RecordAt(const Segment& segment, LogOffset at, CrcCheck crc);

}  // namespace apogee
