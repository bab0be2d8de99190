#include "store/durable_directory.h"

namespace apogee {

Status MakeDurableDirectory(FileSystem& fs, const std::string& path) {
  if (path.empty() || path == "/" || path == "." || fs.Exists(path)) return Ok();
  const std::size_t slash = path.rfind('/');
  const std::string parent = slash == std::string::npos ? "."
                             : slash == 0               ? "/"
                                                        : path.substr(0, slash);
  AP_RETURN_IF_ERROR(MakeDurableDirectory(fs, parent));
  AP_RETURN_IF_ERROR(fs.MakeDirectory(path));
  return fs.SyncDirectory(parent);
}

}  // namespace apogee
