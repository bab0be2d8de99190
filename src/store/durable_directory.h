#pragma once

#include <string>

#include "base/result.h"
#include "env/file_system.h"

namespace apogee {

// The folder with its parents, all of which survive a power loss when it returns OK. Costs a look
// when it exists already.
Status MakeDurableDirectory(FileSystem& fs, const std::string& path);

}  // namespace apogee
