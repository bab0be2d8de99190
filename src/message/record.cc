#include "message/record.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>

#include "base/bytes.h"
#include "base/check.h"
#include "base/crc32.h"
#include "message/properties.h"
#include "message/sys_flag.h"

namespace apogee {
namespace {

constexpr std::size_t kTopicBytesMaxV2 = 255;
// Everything but the IPs and the three variable parts, with a topic length of one byte.
constexpr std::size_t kFixedBytes =
    4 + 4 + 4 + 4 + 4 + 8 + 8 + 4 + 8 + 4 + 8 + 4 + 4 + 8 + 4 + 1 + 2;
static_assert(kFixedBytes + 4 + 4 == 91, "a V1 record between IPv4 hosts");
static_assert(kRecordQueueOffsetAt == 4 + 4 + 4 + 4 + 4);
static_assert(kRecordLogOffsetAt == kRecordQueueOffsetAt + 8);

// A sender may leave out the last value end; what is added behind it must not grow into its value.
bool NeedsValueEnd(const RecordFields& fields) {
  return !fields.properties.empty() && !fields.more_properties.empty() &&
         fields.properties.back() != kValueEnd;
}

std::size_t PropertiesBytes(const RecordFields& fields) {
  return fields.properties.size() + fields.more_properties.size() + (NeedsValueEnd(fields) ? 1 : 0);
}

bool NeedsV2(std::string_view topic) {
  return topic.size() > kTopicBytesMaxV1;
}

class Cursor {
 public:
  explicit Cursor(char* to) : at_(to) {}
  template <typename T>
  void Put(T value) {
    StoreBigEndian(at_, value);
    at_ += sizeof(T);
  }
  void PutBytes(std::string_view bytes) {
    if (bytes.empty()) return;
    std::memcpy(at_, bytes.data(), bytes.size());
    at_ += bytes.size();
  }
  void PutHost(const Host& host) {
    PutBytes(host.ip_bytes());
    Put(host.port);
  }
  const char* at() const { return at_; }

 private:
  char* at_;
};

Host ReadHost(ByteReader& reader, bool v6) {
  Host host;
  host.v6 = v6;
  const std::string_view ip = reader.ReadBytes(v6 ? 16 : 4);
  std::copy(ip.begin(), ip.end(), reinterpret_cast<char*>(host.ip.data()));
  host.port = reader.Read<std::int32_t>();
  return host;
}

}  // namespace

Result<std::int32_t> EncodedRecordBytes(const RecordFields& fields) {
  if (fields.topic.size() > kTopicBytesMaxV2) {
    return Fail(ErrorCode::kInvalidArgument, fmt::format("topic of {} bytes, at most {}",
                                                         fields.topic.size(), kTopicBytesMaxV2));
  }
  const std::size_t properties = PropertiesBytes(fields);
  if (properties > kPropertiesBytesMax) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("properties of {} bytes, at most {}", properties, kPropertiesBytesMax));
  }
  const std::size_t total = kFixedBytes + fields.born_host.ip_size() + fields.store_host.ip_size() +
                            fields.body.size() + (NeedsV2(fields.topic) ? 1 : 0) +
                            fields.topic.size() + properties;
  if (total > 0x7FFFFFFFU) {
    return Fail(ErrorCode::kInvalidArgument, fmt::format("message of {} bytes", total));
  }
  return static_cast<std::int32_t>(total);
}

void EncodeRecord(const RecordFields& fields, QueueOffset queue_offset, LogOffset log_offset,
                  std::int64_t store_time_ms, char* to) {
  const bool v2 = NeedsV2(fields.topic);
  const std::size_t properties = PropertiesBytes(fields);
  AP_CHECK(fields.topic.size() <= kTopicBytesMaxV2 && properties <= kPropertiesBytesMax);
  const std::size_t total = kFixedBytes + fields.born_host.ip_size() + fields.store_host.ip_size() +
                            fields.body.size() + (v2 ? 1 : 0) + fields.topic.size() + properties;
  std::int32_t sys_flag = fields.sys_flag & ~(kSysFlagBornHostV6 | kSysFlagStoreHostV6);
  if (fields.born_host.v6) sys_flag |= kSysFlagBornHostV6;
  if (fields.store_host.v6) sys_flag |= kSysFlagStoreHostV6;

  Cursor out(to + sizeof(std::int32_t));
  out.Put(v2 ? kRecordMagicV2 : kRecordMagicV1);
  out.Put(BodyCrc(fields.body));
  out.Put(fields.queue_id);
  out.Put(fields.flag);
  out.Put(queue_offset.value());
  out.Put(log_offset.value());
  out.Put(sys_flag);
  out.Put(fields.born_time_ms);
  out.PutHost(fields.born_host);
  out.Put(store_time_ms);
  out.PutHost(fields.store_host);
  out.Put(fields.reconsume_times);
  out.Put(fields.prepared_transaction_offset);
  out.Put(static_cast<std::int32_t>(fields.body.size()));
  out.PutBytes(fields.body);
  if (v2) {
    out.Put(static_cast<std::int16_t>(fields.topic.size()));
  } else {
    out.Put(static_cast<std::int8_t>(fields.topic.size()));
  }
  out.PutBytes(fields.topic);
  out.Put(static_cast<std::int16_t>(properties));
  out.PutBytes(fields.properties);
  if (NeedsValueEnd(fields)) out.Put(kValueEnd);
  out.PutBytes(fields.more_properties);
  AP_CHECK(out.at() == to + total);
  // The total comes last: in a mapped file of zeros, a record is either whole or not there at all
  // for whoever looks after the process was killed.
  std::atomic_signal_fence(std::memory_order_release);
  StoreBigEndian(to, static_cast<std::int32_t>(total));
}

Result<RecordView> DecodeRecord(std::string_view bytes, CrcCheck crc) {
  const auto bad = [](std::string_view what) {
    return Fail(ErrorCode::kCorruption, fmt::format("message record: {}", what));
  };
  ByteReader head(bytes);
  const auto total = head.Read<std::int32_t>();
  RecordView view;
  view.magic = head.Read<std::uint32_t>();
  if (!head.ok()) return bad("cut in its first fields");
  if (view.magic != kRecordMagicV1 && view.magic != kRecordMagicV2) return bad("wrong magic");
  if (total < static_cast<std::int32_t>(kFixedBytes) ||
      static_cast<std::size_t>(total) > bytes.size()) {
    return bad(fmt::format("total of {} bytes, {} there", total, bytes.size()));
  }
  view.bytes = bytes.substr(0, static_cast<std::size_t>(total));

  ByteReader in(view.bytes.substr(8));
  view.body_crc = in.Read<std::int32_t>();
  view.queue_id = in.Read<std::int32_t>();
  view.flag = in.Read<std::int32_t>();
  view.queue_offset = QueueOffset(in.Read<std::int64_t>());
  view.log_offset = LogOffset(in.Read<std::int64_t>());
  view.sys_flag = in.Read<std::int32_t>();
  view.born_time_ms = in.Read<std::int64_t>();
  view.born_host = ReadHost(in, (view.sys_flag & kSysFlagBornHostV6) != 0);
  view.store_time_ms = in.Read<std::int64_t>();
  view.store_host = ReadHost(in, (view.sys_flag & kSysFlagStoreHostV6) != 0);
  view.reconsume_times = in.Read<std::int32_t>();
  view.prepared_transaction_offset = in.Read<std::int64_t>();
  view.body = in.ReadBytes(in.Read<std::int32_t>());
  const std::int64_t topic_bytes =
      view.magic == kRecordMagicV2 ? in.Read<std::int16_t>() : in.Read<std::int8_t>();
  view.topic = in.ReadBytes(topic_bytes);
  view.properties = in.ReadBytes(in.Read<std::int16_t>());
  if (!in.ok() || in.remaining() != 0) return bad("lengths do not add up to the total");
  if (crc == CrcCheck::kVerify && !view.body.empty() && BodyCrc(view.body) != view.body_crc) {
    return bad("body does not match its checksum");
  }
  return view;
}

}  // namespace apogee
