// A small text file that is replaced as a whole (topics.json and its siblings): new file, fsync,
// rename, fsync of the folder; the generation before stays as `<name>.bak`.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"
#include "env/clock.h"
#include "env/file_system.h"

namespace apogee {

// Threads: one at a time. Blocks on the disk: not on an event loop.
class MetadataFile {
 public:
  // `fs` and `clock` must outlive this.
  MetadataFile(std::string path, FileSystem& fs, Clock& clock);

  // The main file; when it is missing, empty or no JSON object: the .bak. A damaged file is set
  // aside as
  // `<name>.damaged-<time>` and named in the log. nullopt when there is neither.
  std::optional<Json> Load();

  // Does nothing when `content` is what was loaded or saved last.
  Status Save(const Json& content);

 private:
  std::string path_;
  FileSystem& fs_;
  Clock& clock_;
  std::string last_;
};

}  // namespace apogee
