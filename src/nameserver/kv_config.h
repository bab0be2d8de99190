// Key/value pairs by namespace that operators keep at the name server, in kvConfig.json:
//
//   {"configTable":{"ORDER_TOPIC_CONFIG":{"orders":"broker-a:4"}}}
//
// Threads: any, but Load and Save, which block on the disk and run one at a time.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/mutex.h"
#include "base/result.h"
#include "env/file_system.h"

namespace apogee {

inline constexpr std::string_view kOrderTopicConfig = "ORDER_TOPIC_CONFIG";

class KvConfig {
 public:
  using Table = std::map<std::string, std::string, std::less<>>;

  static constexpr std::size_t kBytesMax = std::size_t{64} << 20;

  // `path` empty: in memory only. `fs` must outlive this.
  KvConfig(std::string path, FileSystem& fs) : path_(std::move(path)), fs_(fs) {}

  // No file: empty. A damaged one is set aside as `<name>.damaged` and named in the log; the one
  // before it (`<name>.bak`) is read instead.
  Status Load();
  // Replaces the file when something changed since the last one.
  Status Save();

  // kResourceExhausted: no room for more.
  Status Put(std::string_view name_space, std::string_view key, std::string_view value);
  // False: there was none.
  bool Delete(std::string_view name_space, std::string_view key);
  std::optional<std::string> Get(std::string_view name_space, std::string_view key) const;
  // nullopt: the namespace has never been used. One whose keys were all deleted is empty.
  std::optional<std::map<std::string, std::string>> List(std::string_view name_space) const;

 private:
  Status LoadFrom(const std::string& path);

  const std::string path_;
  FileSystem& fs_;
  mutable Mutex mu_;
  std::map<std::string, Table, std::less<>> tables_ AP_GUARDED_BY(mu_);
  std::size_t bytes_ AP_GUARDED_BY(mu_) = 0;
  std::int64_t changes_ AP_GUARDED_BY(mu_) = 0;
  std::int64_t saved_changes_ AP_GUARDED_BY(mu_) = 0;
};

}  // namespace apogee
