#include "store/file_names.h"

#include <fmt/format.h>

#include <charconv>

namespace apogee {

std::string OffsetFileName(std::int64_t offset) {
  return fmt::format("{:020}", offset);
}

std::optional<std::int64_t> ParseOffsetFileName(std::string_view name) {
  if (name.size() != 20) return std::nullopt;
  for (const char c : name) {
    if (c < '0' || c > '9') return std::nullopt;
  }
  std::int64_t offset = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), offset);
  if (error != std::errc{} || end != name.data() + name.size()) return std::nullopt;
  return offset;
}

StorePaths::StorePaths(const std::string& root_directory, const std::string& commit_log_directory)
    : root(root_directory),
      commit_log(commit_log_directory.empty() ? root_directory + "/commitlog"
                                              : commit_log_directory),
      consume_queue(root_directory + "/consumequeue"),
      batch_consume_queue(root_directory + "/batchconsumequeue"),
      checkpoint(root_directory + "/checkpoint"),
      abort(root_directory + "/abort"),
      lock(root_directory + "/lock") {}

bool IsTopicPathSafe(std::string_view topic) {
  return !topic.empty() && topic.size() <= 255 && topic != "." && topic != ".." &&
         topic.find('/') == std::string_view::npos && topic.find('\0') == std::string_view::npos;
}

}  // namespace apogee
