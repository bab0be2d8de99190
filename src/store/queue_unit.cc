#include "store/queue_unit.h"

#include <charconv>
#include <optional>

#include "base/bytes.h"
#include "base/java_hash.h"
#include "message/names.h"
#include "message/properties.h"
#include "message/sys_flag.h"
#include "store/delay_level.h"

namespace apogee {
namespace {

constexpr std::int64_t kUnknownLevelMs = 1000;

std::optional<std::string_view> FindInBoth(std::string_view first, std::string_view second,
                                           std::string_view name) {
  if (!second.empty()) {
    if (const auto value = FindProperty(second, name)) return value;
  }
  return FindProperty(first, name);
}

}  // namespace

void EncodeQueueUnit(const QueueEntry& entry, char* to) {
  // A filler in memory remembers the record that needed it; in the file it names nothing.
  StoreBigEndian<std::int64_t>(to, entry.size == kFillerSize ? 0 : entry.at.value());
  StoreBigEndian<std::int32_t>(to + 8, entry.size);
  StoreBigEndian<std::int64_t>(to + 12, entry.tag_code);
}

QueueEntry DecodeQueueUnit(const char* from) {
  return {LogOffset(LoadBigEndian<std::int64_t>(from)), LoadBigEndian<std::int32_t>(from + 8),
          LoadBigEndian<std::int64_t>(from + 12)};
}

bool IsQueued(std::int32_t sys_flag) {
  return TakesQueueOffset(sys_flag) && (sys_flag & kSysFlagInnerBatch) == 0;
}

bool TakesQueueOffset(std::int32_t sys_flag) {
  const std::int32_t transaction = sys_flag & kSysFlagTransactionMask;
  return transaction != kSysFlagTransactionPrepared && transaction != kSysFlagTransactionRollback;
}

std::int64_t QueueTagCode(std::string_view topic, std::string_view properties,
                          std::string_view more_properties, std::int64_t store_time_ms) {
  if (topic == kScheduleTopic) [[unlikely]] {
    if (const auto text = FindInBoth(properties, more_properties, property::kDelay)) {
      std::int64_t level = 0;
      const auto parsed = std::from_chars(text->data(), text->data() + text->size(), level);
      if (parsed.ec == std::errc{} && parsed.ptr == text->data() + text->size() && level > 0) {
        return store_time_ms + DelayOfLevelMs(level);
      }
      if (parsed.ec == std::errc::result_out_of_range) return store_time_ms + kUnknownLevelMs;
    }
  }
  const auto tags = FindInBoth(properties, more_properties, property::kTags);
  return tags ? JavaStringHash(*tags) : 0;
}

}  // namespace apogee
