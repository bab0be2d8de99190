// Ready-made send requests: what differs from one to the next is patched into a copy, so that the
// load generator costs the machine as little as possible.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "load/targets.h"
#include "protocol/command.h"

namespace apogee {

// The first bytes of a body whose time of sending is measured.
//   run 8 | due time, monotonic ns 8
struct BodyStamp {
  static constexpr std::size_t kBytes = 16;
  std::uint64_t run = 0;
  std::int64_t due_ns = 0;

  static std::optional<BodyStamp> Read(std::string_view body);
};

// One queue after the other. Threads: one.
class SendFrames {
 public:
  // `body_bytes` of at least BodyStamp::kBytes are stamped, shorter ones are not.
  SendFrames(const std::vector<TargetQueue>& queues, std::size_t body_bytes, HeaderForm form,
             const std::string& broker_name, std::int64_t born_time_ms, std::uint64_t run);

  // Appends the next request. Its opaque is kFirstOpaque + `slot`, which keeps the length fixed.
  void AppendNext(std::uint32_t slot, std::int64_t due_ns, std::string* out);

  static constexpr std::int32_t kFirstOpaque = 1'000'000'000;
  static constexpr std::uint32_t kSlotsMax = 1'000'000'000;

 private:
  std::vector<std::string> frames_;  // One a queue.
  std::vector<std::size_t> opaque_at_;
  const HeaderForm form_;
  const std::size_t body_bytes_;
  std::size_t next_ = 0;
};

}  // namespace apogee
