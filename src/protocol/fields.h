// The name/value fields of a command ("extFields"), in order. Values are text; a field added twice:
// the last one counts. Decoding keeps views into the frame, building keeps copies, both in the same
// list.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace apogee {

class Fields {
 public:
  struct Field {
    std::string_view name;
    std::string_view value;
  };

  // Keeps views: both must outlive this list.
  void AddView(std::string_view name, std::string_view value) { fields_.push_back({name, value}); }
  // Copies the value; `name` must be a literal or outlive this list.
  void Add(std::string_view name, std::string_view value) { AddView(name, Keep(value)); }
  void AddInt(std::string_view name, std::int64_t value);
  void AddBool(std::string_view name, bool value) { AddView(name, value ? "true" : "false"); }

  std::optional<std::string_view> Find(std::string_view name) const;
  // Absent or unreadable: the fallback, as Apache's decoder leaves a field at its default.
  std::string_view Text(std::string_view name, std::string_view fallback = {}) const;
  std::int64_t Int(std::string_view name, std::int64_t fallback) const;
  bool Bool(std::string_view name, bool fallback) const;
  // kInvalidArgument naming the field when it is absent or no integer.
  Result<std::int64_t> RequireInt(std::string_view name) const;
  Result<std::string_view> RequireText(std::string_view name) const;

  // A copy of `text` that lives as long as this list (until Clear).
  std::string_view Keep(std::string_view text);
  // The same for text that is still to be made: `fill(room)` writes at most `bytes_max` bytes and
  // returns how many.
  template <typename Fill>
  std::string_view KeepMade(std::size_t bytes_max, Fill&& fill) {
    char* room = Room(bytes_max);
    const std::size_t bytes = fill(room);
    block_used_ += bytes;
    return {room, bytes};
  }

  bool empty() const { return fields_.empty(); }
  std::size_t size() const { return fields_.size(); }
  std::vector<Field>::const_iterator begin() const { return fields_.begin(); }
  std::vector<Field>::const_iterator end() const { return fields_.end(); }
  // Forgets all, keeps the memory of the list and one block of copies.
  void Clear();

 private:
  // `bytes` free bytes behind what is in use; not yet in use themselves.
  char* Room(std::size_t bytes);

  std::vector<Field> fields_;
  std::vector<std::unique_ptr<char[]>> blocks_;  // Bump-allocated copies.
  std::size_t block_used_ = 0;
  std::size_t block_size_ = 0;
};

}  // namespace apogee
