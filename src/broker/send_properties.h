// What a send does with the property string it brings: one walk over it finds what the broker acts
// on; the string itself is stored as it came unless something in it has to go.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace apogee {

// Views into the string that was walked.
struct SendProperties {
  std::string_view unique_key;  // Empty: the sender gave none.
  bool has_keys = false;
  bool wait = true;  // WAIT; anything but "true" is no, as Java reads it.
  bool transaction = false;
  bool inner_batch = false;  // INNER_NUM
  std::optional<std::string_view> delay;
  // The first there is of TIMER_DELAY_SEC, TIMER_DELAY_MS and TIMER_DELIVER_MS.
  enum class Timer { kNone, kDelaySeconds, kDelayMs, kDeliverMs };
  Timer timer = Timer::kNone;
  std::string_view timer_value;
  // The string cannot be stored as it is: it has pieces that no reader would see, an unterminated
  // last pair, or names that are the broker's to set (CleanProperties).
  bool unclean = false;
};
SendProperties WalkProperties(std::string_view encoded);

// The well-formed pairs of `encoded` without POP_CK and what the broker adds itself.
std::string CleanProperties(std::string_view encoded);

// A delivery that this version cannot do, or that no version could.
enum class Delivery {
  kNow,            // An ordinary message; times already past and levels below 1 are this too.
  kDelayIllegal,   // DELAY is no number.
  kDelayed,        // DELAY, level 1 or higher.
  kTimerIllegal,   // A timer property that is no number, or too far ahead.
  kTimer,          // Due later.
  kTransactional,  // A half message, by its properties or its sysFlag.
};
Delivery DeliveryOf(const SendProperties& properties, std::int32_t sys_flag,
                    std::int32_t reconsume_times, std::int64_t now_ms);

}  // namespace apogee
