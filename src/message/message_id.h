// Message ids. The offset id names a record by place: upper-case hex of store host IP, port (4
// bytes) and log offset (8 bytes), 32 or 56 characters. The unique key is made by the sender, or
// here when it sent none.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/ids.h"
#include "base/result.h"
#include "message/host.h"

namespace apogee {

std::string OffsetMessageId(const Host& store_host, LogOffset at);

struct MessagePlace {
  Host store_host;
  LogOffset at;
};
Result<MessagePlace> ParseOffsetMessageId(std::string_view id);

// Makes keys in the layout of RocketMQ's clients: IP, pid (2 bytes), a hash (4), milliseconds since
// the start of the month (4), a counter (2), in upper-case hex. Threads: any.
class UniqueKeyMaker {
 public:
  UniqueKeyMaker(const Host& host, std::int32_t pid, std::uint32_t salt);
  // `now_ms` is wall-clock time.
  std::string Make(std::int64_t now_ms);

 private:
  std::string prefix_;
  std::atomic<std::uint32_t> counter_{0};
};

}  // namespace apogee
