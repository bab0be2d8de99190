// Names inside a store directory (Apache's layout) and of its fixed-size files: the offset of a
// file's first byte in 20 decimal digits.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace apogee {

// 1073741824 → "00000000001073741824".
std::string OffsetFileName(std::int64_t offset);

// nullopt unless `name` is exactly 20 digits of a number that fits.
std::optional<std::int64_t> ParseOffsetFileName(std::string_view name);

struct StorePaths {
  // `commit_log` empty: below the root.
  StorePaths(const std::string& root_directory, const std::string& commit_log_directory);

  std::string root;
  std::string commit_log;
  std::string consume_queue;
  std::string batch_consume_queue;
  std::string checkpoint;
  std::string abort;
  std::string lock;
};

// Whether `topic` can name a folder: not empty, no '/', no NUL, neither "." nor "..", at most 255
// bytes.
bool IsTopicPathSafe(std::string_view topic);

}  // namespace apogee
