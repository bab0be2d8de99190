// One file of the commit log, mapped whole. Its name is the log offset of its first byte.
#pragma once

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "base/ids.h"
#include "base/result.h"
#include "env/file_system.h"

namespace apogee {

// Owned by the chain and, while they live, by the pins of readers; the last one unmaps it.
// Threads: any. Who reads stays below the log's tail, who writes is the one appender.
class Segment {
 public:
  Segment(LogOffset start, std::unique_ptr<MappedFile> file)
      : start_(start), file_(std::move(file)) {}

  LogOffset start() const { return start_; }
  LogOffset end() const { return start_ + file_->size(); }
  bool Contains(LogOffset at) const { return at >= start_ && at < end(); }

  char* At(LogOffset at) {
    AP_CHECK(Contains(at));
    return reinterpret_cast<char*>(file_->data()) + (at - start_);
  }
  // [from, to), cut to what this file holds.
  std::string_view Bytes(LogOffset from, LogOffset to) const {
    AP_CHECK(Contains(from));
    const LogOffset last = std::min(to, end());
    if (last <= from) return {};
    return {reinterpret_cast<const char*>(file_->data()) + (from - start_),
            static_cast<std::size_t>(last - from)};
  }

  Status Sync() { return file_->Sync(); }

  // Hints for the part of [from, to) that lies in this file.
  void Prefault(LogOffset from, LogOffset to) {
    const auto [at, length] = Clip(from, to);
    if (length > 0) file_->Prefault(at, length);
  }
  void Forget(LogOffset from, LogOffset to) {
    const auto [at, length] = Clip(from, to);
    if (length > 0) file_->Forget(at, length);
  }

 private:
  std::pair<std::int64_t, std::int64_t> Clip(LogOffset from, LogOffset to) const {
    const LogOffset first = std::max(from, start_);
    const LogOffset last = std::min(to, end());
    return {first - start_, last - first};
  }

  const LogOffset start_;
  const std::unique_ptr<MappedFile> file_;
};

}  // namespace apogee
