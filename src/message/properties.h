// The property string of a message: `name 0x01 value 0x02` repeated; the last 0x02 may be missing
// (remoting protocol reference, "Property string"). Pieces without 0x01, shorter than three bytes,
// or with an empty name or value are skipped; of duplicates the last one counts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace apogee {

inline constexpr char kNameEnd = '\x01';
inline constexpr char kValueEnd = '\x02';

namespace property {
inline constexpr std::string_view kKeys = "KEYS";
inline constexpr std::string_view kTags = "TAGS";
inline constexpr std::string_view kWait = "WAIT";
inline constexpr std::string_view kDelay = "DELAY";
inline constexpr std::string_view kUniqKey = "UNIQ_KEY";
inline constexpr std::string_view kRetryTopic = "RETRY_TOPIC";
inline constexpr std::string_view kRealTopic = "REAL_TOPIC";
inline constexpr std::string_view kRealQueueId = "REAL_QID";
inline constexpr std::string_view kMsgRegion = "MSG_REGION";
inline constexpr std::string_view kTraceOn = "TRACE_ON";
inline constexpr std::string_view kCluster = "CLUSTER";
inline constexpr std::string_view kPopCk = "POP_CK";
inline constexpr std::string_view kTranMsg = "TRAN_MSG";
inline constexpr std::string_view kMaxReconsumeTimes = "MAX_RECONSUME_TIMES";
inline constexpr std::string_view kTimerDelaySec = "TIMER_DELAY_SEC";
inline constexpr std::string_view kTimerDelayMs = "TIMER_DELAY_MS";
inline constexpr std::string_view kTimerDeliverMs = "TIMER_DELIVER_MS";
inline constexpr std::string_view kInnerNum = "INNER_NUM";
}  // namespace property

// Walks the pairs of `encoded` without allocating.
class PropertyReader {
 public:
  explicit PropertyReader(std::string_view encoded) : rest_(encoded) {}
  struct Pair {
    std::string_view name;
    std::string_view value;
  };
  std::optional<Pair> Next();

 private:
  std::string_view rest_;
};

// The value of `name` (the last one), a view into `encoded`.
std::optional<std::string_view> FindProperty(std::string_view encoded, std::string_view name);

// All pairs, first occurrence's order, last value.
std::vector<std::pair<std::string, std::string>> DecodeProperties(std::string_view encoded);

void AppendProperty(std::string& encoded, std::string_view name, std::string_view value);

// `encoded` without the pairs called `name`; a missing last 0x02 is added when anything remains.
std::string WithoutProperty(std::string_view encoded, std::string_view name);

// The tag code of a queue entry: Java's hash of TAGS, sign-extended; 0 without tags.
std::int64_t TagCode(std::string_view encoded_properties);

}  // namespace apogee
