#include "broker/send_properties.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <limits>

#include "message/properties.h"
#include "message/sys_flag.h"

namespace apogee {
namespace {

// timerMaxDelaySec, three days: RocketMQ's bound.
constexpr std::int64_t kTimerMsMax = 259'200'000;

bool IsTrue(std::string_view text) {
  return text.size() == 4 && std::ranges::equal(text, std::string_view("true"), {}, [](char c) {
           return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
         });
}

template <typename T>
std::optional<T> Number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool SetByBroker(std::string_view name) {
  return name == property::kPopCk || name == property::kMsgRegion || name == property::kTraceOn ||
         name == property::kCluster;
}

// When a timer message is due; nullopt when that is no number or more than the bound ahead. Written
// so that no value overflows: 9223372036854775807 seconds are too many, not the past.
std::optional<std::int64_t> DueMs(const SendProperties& properties, std::int64_t now_ms) {
  const std::optional<std::int64_t> value = Number<std::int64_t>(properties.timer_value);
  if (!value) return std::nullopt;
  if (properties.timer == SendProperties::Timer::kDeliverMs) {
    if (*value > now_ms && *value - now_ms > kTimerMsMax) return std::nullopt;
    return *value;
  }
  const bool seconds = properties.timer == SendProperties::Timer::kDelaySeconds;
  if (*value > (seconds ? kTimerMsMax / 1000 : kTimerMsMax)) return std::nullopt;
  if (*value <= 0) return now_ms;
  return now_ms + (seconds ? *value * 1000 : *value);
}

}  // namespace

SendProperties WalkProperties(std::string_view encoded) {
  using Timer = SendProperties::Timer;
  SendProperties found;
  const auto timer = [&](Timer kind, std::string_view value) {
    if (found.timer != Timer::kNone && found.timer < kind) return;
    found.timer = kind;
    found.timer_value = value;
  };
  std::size_t well_formed = 0;
  PropertyReader reader(encoded);
  while (const auto pair = reader.Next()) {
    const auto [name, value] = *pair;
    well_formed += name.size() + value.size() + 2;
    if (name == property::kUniqKey) {
      found.unique_key = value;
    } else if (name == property::kKeys) {
      found.has_keys = true;
    } else if (name == property::kWait) {
      found.wait = IsTrue(value);
    } else if (name == property::kDelay) {
      found.delay = value;
    } else if (name == property::kTranMsg) {
      found.transaction = IsTrue(value);
    } else if (name == property::kInnerNum) {
      found.inner_batch = true;
    } else if (name == property::kTimerDelaySec) {
      timer(Timer::kDelaySeconds, value);
    } else if (name == property::kTimerDelayMs) {
      timer(Timer::kDelayMs, value);
    } else if (name == property::kTimerDeliverMs) {
      timer(Timer::kDeliverMs, value);
    } else if (SetByBroker(name)) {
      found.unclean = true;
    }
  }
  if (well_formed != encoded.size()) found.unclean = true;
  return found;
}

std::string CleanProperties(std::string_view encoded) {
  std::string clean;
  clean.reserve(encoded.size() + 1);
  PropertyReader reader(encoded);
  while (const auto pair = reader.Next()) {
    if (!SetByBroker(pair->name)) AppendProperty(clean, pair->name, pair->value);
  }
  return clean;
}

Delivery DeliveryOf(const SendProperties& properties, std::int32_t sys_flag,
                    std::int32_t reconsume_times, std::int64_t now_ms) {
  std::int32_t level = 0;
  if (properties.delay) {
    const std::optional<std::int32_t> parsed = Number<std::int32_t>(*properties.delay);
    if (!parsed) return Delivery::kDelayIllegal;
    level = *parsed;
  }
  const std::int32_t kind = sys_flag & kSysFlagTransactionMask;
  const bool retried = reconsume_times > 0 && level > 0;
  if (properties.transaction && !retried) return Delivery::kTransactional;
  if (kind == kSysFlagTransactionPrepared || kind == kSysFlagTransactionRollback) {
    return Delivery::kTransactional;
  }
  if (level > 0) return Delivery::kDelayed;
  if (properties.timer != SendProperties::Timer::kNone) {
    const std::optional<std::int64_t> due = DueMs(properties, now_ms);
    if (!due) return Delivery::kTimerIllegal;
    if (*due > now_ms) return Delivery::kTimer;
  }
  return Delivery::kNow;
}

}  // namespace apogee
