#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "env/file_descriptor.h"
#include "env/file_system.h"

namespace apogee {

// A file of the machine as `File`. `path` is for error texts.
std::unique_ptr<File> MakePosixFile(FileDescriptor fd, std::string path);

// Blocks for [0, size) of the file; also on file systems without fallocate.
Status AllocateBlocks(int fd, std::int64_t size, const std::string& path);

// The whole file mapped. Takes `fd` over, because a sync needs it.
Result<std::unique_ptr<MappedFile>> MapPosixFile(FileDescriptor fd, std::string path);

}  // namespace apogee
