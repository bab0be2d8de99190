// A file that is only ever replaced as a whole: written beside, synced, renamed over the old one,
// which stays as `<name>.bak`.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "env/file_system.h"

namespace apogee {

// Makes the folder when it is missing. After an error the old file is still there, as itself or as
// the .bak.
Status ReplaceFile(FileSystem& fs, const std::string& path, std::string_view content);

}  // namespace apogee
