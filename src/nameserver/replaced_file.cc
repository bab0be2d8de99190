#include "nameserver/replaced_file.h"

namespace apogee {

Status ReplaceFile(FileSystem& fs, const std::string& path, std::string_view content) {
  const std::size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash);
  AP_RETURN_IF_ERROR(fs.MakeDirectory(folder));
  const std::string fresh = path + ".tmp";
  AP_RETURN_IF_ERROR(fs.WriteFile(fresh, content));
  if (fs.Exists(path)) AP_RETURN_IF_ERROR(fs.Rename(path, path + ".bak"));
  AP_RETURN_IF_ERROR(fs.Rename(fresh, path));
  return fs.SyncDirectory(folder);
}

}  // namespace apogee
