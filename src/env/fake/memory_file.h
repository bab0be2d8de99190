// Handles of MemoryFileSystem on one file.
#pragma once

#include <memory>
#include <string>

#include "env/fake/memory_file_system.h"
#include "env/fake/memory_node.h"
#include "env/file_system.h"

namespace apogee {

// Counts a call. kIo after a crash, and for handles of a process before the crash.
Status CheckAlive(MemoryDisk& disk, std::uint64_t process) AP_REQUIRES(disk.mu);
// Counts a sync and fails when one is due to.
Status CountSync(MemoryDisk& disk, const std::string& path) AP_REQUIRES(disk.mu);
// Resizes within the space of the disk.
Status ResizeFile(MemoryDisk& disk, MemoryFileNode& node, std::int64_t size,
                  const std::string& path) AP_REQUIRES(disk.mu);

std::unique_ptr<File> MakeMemoryFile(std::shared_ptr<MemoryDisk> disk,
                                     std::shared_ptr<MemoryFileNode> node, std::uint64_t process,
                                     std::string path);
// Counts as a mapping of the node at once: called with the disk's lock held.
std::unique_ptr<MappedFile> MakeMemoryMapping(std::shared_ptr<MemoryDisk> disk,
                                              std::shared_ptr<MemoryFileNode> node,
                                              std::uint64_t process, std::string path);
std::unique_ptr<FileLock> MakeMemoryLock(std::shared_ptr<MemoryDisk> disk,
                                         std::shared_ptr<MemoryFileNode> node);

}  // namespace apogee
