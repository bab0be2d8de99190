// One message as it stands in the commit log and travels in pull, view and query bodies.
// Big-endian.
//
//   total 4 | magic 4 | body crc 4 | queue id 4 | flag 4 | queue offset 8 | log offset 8 | sys flag
//   4 | born time 8 | born host 4+4 or 16+4 | store time 8 | store host 4+4 or 16+4 | reconsume 4 |
//   prepared transaction offset 8 | body 4+n | topic 1+n (v1) or 2+n (v2) | properties 2+n
//
// docs/formats/commit_log.md has a worked example. v2 is used for topics longer than 127 bytes
// only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/ids.h"
#include "base/result.h"
#include "message/host.h"

namespace apogee {

inline constexpr std::uint32_t kRecordMagicV1 = 0xDAA320A7;
inline constexpr std::uint32_t kRecordMagicV2 = 0xDAA320AB;
inline constexpr std::uint32_t kBlankMagic = 0xCBD43194;  // End of a log file: i32 rest, then this.
inline constexpr std::int32_t kBlankBytes = 8;
inline constexpr std::size_t kPropertiesBytesMax = 32767;
inline constexpr std::size_t kTopicBytesMaxV1 = 127;

// Byte positions inside a record that are patched when it is appended.
inline constexpr std::size_t kRecordQueueOffsetAt = 20;
inline constexpr std::size_t kRecordLogOffsetAt = 28;

// What a sender gives; offsets and store time are assigned by the log. Views live until the append
// returns.
struct RecordFields {
  std::string_view topic;
  std::int32_t queue_id = 0;
  std::int32_t flag = 0;
  std::int32_t sys_flag = 0;  // Host bits are set by the encoder.
  std::int64_t born_time_ms = 0;
  Host born_host;
  Host store_host;
  std::int32_t reconsume_times = 0;
  std::int64_t prepared_transaction_offset = 0;
  std::string_view body;
  std::string_view
      properties;  // Encoded property string; two parts so that additions need no copy.
  std::string_view more_properties;
};

// Encoded length, or kInvalidArgument when topic (255) or properties (32767) are too long.
Result<std::int32_t> EncodedRecordBytes(const RecordFields& fields);

// Writes exactly EncodedRecordBytes bytes. Body CRC is computed here.
void EncodeRecord(const RecordFields& fields, QueueOffset queue_offset, LogOffset log_offset,
                  std::int64_t store_time_ms, char* to);

// A decoded record: views into the bytes it was decoded from.
struct RecordView {
  std::string_view bytes;  // The whole record.
  std::uint32_t magic = 0;
  std::int32_t body_crc = 0;
  std::int32_t queue_id = 0;
  std::int32_t flag = 0;
  QueueOffset queue_offset;
  LogOffset log_offset;
  std::int32_t sys_flag = 0;
  std::int64_t born_time_ms = 0;
  Host born_host;
  std::int64_t store_time_ms = 0;
  Host store_host;
  std::int32_t reconsume_times = 0;
  std::int64_t prepared_transaction_offset = 0;
  std::string_view body;
  std::string_view topic;
  std::string_view properties;
};

enum class CrcCheck { kVerify, kSkip };

// Decodes the record at the start of `bytes`. kCorruption: wrong magic, lengths that do not add up
// to the total, more than is there, or (kVerify) a body that does not match its checksum.
Result<RecordView> DecodeRecord(std::string_view bytes, CrcCheck crc);

}  // namespace apogee
