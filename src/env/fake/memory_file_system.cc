#include "env/fake/memory_file_system.h"

#include <fmt/format.h>

#include <utility>

#include "base/check.h"
#include "env/fake/memory_file.h"

namespace apogee {
namespace {

using Folder = std::shared_ptr<MemoryFolderNode>;
using FileRef = std::shared_ptr<MemoryFileNode>;

// "/a//b/" is a, b. Relative paths begin at the root too.
std::vector<std::string> PartsOf(std::string_view path) {
  std::vector<std::string> parts;
  while (!path.empty()) {
    const std::size_t end = path.find('/');
    const std::string_view part = path.substr(0, end);
    if (!part.empty() && part != ".") parts.emplace_back(part);
    if (end == std::string_view::npos) break;
    path.remove_prefix(end + 1);
  }
  return parts;
}

std::unexpected<Error> NotFound(const std::string& path) {
  return Fail(ErrorCode::kNotFound, path + ": no such file or directory");
}

MemoryNodeRef FindNode(MemoryDisk& disk, const std::string& path) AP_REQUIRES(disk.mu) {
  MemoryNodeRef node = disk.root;
  for (const std::string& part : PartsOf(path)) {
    const auto folder = std::dynamic_pointer_cast<MemoryFolderNode>(node);
    if (folder == nullptr) return nullptr;
    node = folder->Find(part);
  }
  return node;
}

// The folder that has or would have `path`, and the name in it.
struct Place {
  Folder folder;
  std::string name;
  MemoryNodeRef node() const { return folder->Find(name); }
};
Result<Place> FindPlace(MemoryDisk& disk, const std::string& path) AP_REQUIRES(disk.mu) {
  std::vector<std::string> parts = PartsOf(path);
  if (parts.empty()) return Fail(ErrorCode::kInvalidArgument, path + ": the root");
  Place place;
  place.name = std::move(parts.back());
  parts.pop_back();
  place.folder = disk.root;
  for (const std::string& part : parts) {
    place.folder = std::dynamic_pointer_cast<MemoryFolderNode>(place.folder->Find(part));
    if (place.folder == nullptr) return NotFound(path);
  }
  return place;
}

std::int64_t BytesBelow(const MemoryNodeRef& node) {
  if (const auto file = std::dynamic_pointer_cast<MemoryFileNode>(node)) return file->size();
  std::int64_t bytes = 0;
  if (const auto folder = std::dynamic_pointer_cast<MemoryFolderNode>(node)) {
    for (const auto& [name, child] : folder->entries()) bytes += BytesBelow(child);
  }
  return bytes;
}

void SyncBelow(const MemoryNodeRef& node) {
  if (const auto file = std::dynamic_pointer_cast<MemoryFileNode>(node)) file->Sync();
  if (const auto folder = std::dynamic_pointer_cast<MemoryFolderNode>(node)) {
    folder->Sync();
    for (const auto& [name, child] : folder->entries()) SyncBelow(child);
  }
}

Result<FileRef> OpenNode(MemoryDisk& disk, const std::string& path, OpenMode mode)
    AP_REQUIRES(disk.mu) {
  AP_RETURN_IF_ERROR(CheckAlive(disk, disk.process));
  AP_TRY(const Place place, FindPlace(disk, path));
  const MemoryNodeRef node = place.node();
  if (node == nullptr) {
    if (mode == OpenMode::kExisting) return NotFound(path);
    auto file = std::make_shared<MemoryFileNode>();
    place.folder->Apply({{place.name, file}});
    return file;
  }
  if (mode == OpenMode::kCreateNew) return Fail(ErrorCode::kAlreadyExists, path + ": exists");
  auto file = std::dynamic_pointer_cast<MemoryFileNode>(node);
  if (file == nullptr) return Fail(ErrorCode::kIo, path + ": is a directory");
  return file;
}

}  // namespace

Result<std::unique_ptr<File>> MemoryFileSystem::Open(const std::string& path, OpenMode mode) {
  const MutexLock lock(disk_->mu);
  AP_TRY(FileRef node, OpenNode(*disk_, path, mode));
  return MakeMemoryFile(disk_, std::move(node), disk_->process, path);
}

Result<std::unique_ptr<MappedFile>> MemoryFileSystem::Map(const std::string& path,
                                                          std::int64_t size) {
  const MutexLock lock(disk_->mu);
  AP_RETURN_IF_ERROR(CheckAlive(*disk_, disk_->process));
  if (FindNode(*disk_, path) == nullptr && size >= 0 && disk_->used + size > disk_->space) {
    return Fail(ErrorCode::kDiskFull, fmt::format("{}: no space for {} bytes", path, size));
  }
  const bool is_new = FindNode(*disk_, path) == nullptr;
  AP_TRY(FileRef node,
         OpenNode(*disk_, path, size < 0 ? OpenMode::kExisting : OpenMode::kCreateOrOpen));
  if (is_new) AP_RETURN_IF_ERROR(ResizeFile(*disk_, *node, size, path));
  return MakeMemoryMapping(disk_, std::move(node), disk_->process, path);
}

Result<std::vector<DirectoryEntry>> MemoryFileSystem::List(const std::string& directory) {
  const MutexLock lock(disk_->mu);
  AP_RETURN_IF_ERROR(CheckAlive(*disk_, disk_->process));
  const auto folder = std::dynamic_pointer_cast<MemoryFolderNode>(FindNode(*disk_, directory));
  if (folder == nullptr) return NotFound(directory);
  std::vector<DirectoryEntry> entries;
  for (const auto& [name, node] : folder->entries()) {
    const auto file = std::dynamic_pointer_cast<MemoryFileNode>(node);
    entries.push_back({name, file == nullptr, file == nullptr ? 0 : file->size()});
  }
  return entries;
}

Status MemoryFileSystem::MakeDirectory(const std::string& directory) {
  const MutexLock lock(disk_->mu);
  AP_RETURN_IF_ERROR(CheckAlive(*disk_, disk_->process));
  Folder folder = disk_->root;
  for (const std::string& part : PartsOf(directory)) {
    MemoryNodeRef node = folder->Find(part);
    if (node == nullptr) {
      node = std::make_shared<MemoryFolderNode>();
      folder->Apply({{part, node}});
    }
    folder = std::dynamic_pointer_cast<MemoryFolderNode>(node);
    if (folder == nullptr) return Fail(ErrorCode::kAlreadyExists, directory + ": a file there");
  }
  return Ok();
}

bool MemoryFileSystem::Exists(const std::string& path) {
  const MutexLock lock(disk_->mu);
  return FindNode(*disk_, path) != nullptr;
}

Status MemoryFileSystem::Remove(const std::string& path) {
  const MutexLock lock(disk_->mu);
  AP_RETURN_IF_ERROR(CheckAlive(*disk_, disk_->process));
  AP_TRY(const Place place, FindPlace(*disk_, path));
  const MemoryNodeRef node = place.node();
  if (node == nullptr) return NotFound(path);
  disk_->used -= BytesBelow(node);
  place.folder->Apply({{place.name, nullptr}});
  return Ok();
}

Status MemoryFileSystem::Rename(const std::string& from, const std::string& to) {
  const MutexLock lock(disk_->mu);
  AP_RETURN_IF_ERROR(CheckAlive(*disk_, disk_->process));
  AP_TRY(const Place source, FindPlace(*disk_, from));
  AP_TRY(const Place target, FindPlace(*disk_, to));
  const MemoryNodeRef node = source.node();
  if (node == nullptr) return NotFound(from);
  if (const MemoryNodeRef replaced = target.node(); replaced != nullptr && replaced != node) {
    disk_->used -= BytesBelow(replaced);
  }
  if (source.folder == target.folder) {
    if (source.name != target.name) {
      source.folder->Apply({{source.name, nullptr}, {target.name, node}});
    }
  } else {
    target.folder->Apply({{target.name, node}});
    source.folder->Apply({{source.name, nullptr}});
  }
  return Ok();
}

Status MemoryFileSystem::SyncDirectory(const std::string& directory) {
  const MutexLock lock(disk_->mu);
  AP_RETURN_IF_ERROR(CheckAlive(*disk_, disk_->process));
  const auto folder = std::dynamic_pointer_cast<MemoryFolderNode>(FindNode(*disk_, directory));
  if (folder == nullptr) return NotFound(directory);
  AP_RETURN_IF_ERROR(CountSync(*disk_, directory));
  folder->Sync();
  return Ok();
}

Result<std::unique_ptr<FileLock>> MemoryFileSystem::Lock(const std::string& path) {
  const MutexLock lock(disk_->mu);
  AP_TRY(FileRef node, OpenNode(*disk_, path, OpenMode::kCreateOrOpen));
  if (node->locked) {
    return Fail(ErrorCode::kUnavailable, path + ": locked by another process");
  }
  constexpr std::string_view kText = "lock";
  if (node->size() < static_cast<std::int64_t>(kText.size())) {
    AP_RETURN_IF_ERROR(ResizeFile(*disk_, *node, static_cast<std::int64_t>(kText.size()), path));
  }
  const ByteSpan text = AsBytes(kText);
  std::copy(text.begin(), text.end(), node->data());
  node->locked = true;
  return MakeMemoryLock(disk_, std::move(node));
}

Result<FileSystem::Space> MemoryFileSystem::SpaceOf(const std::string& path) {
  const MutexLock lock(disk_->mu);
  AP_RETURN_IF_ERROR(CheckAlive(*disk_, disk_->process));
  if (FindNode(*disk_, path) == nullptr) return NotFound(path);
  return Space{disk_->space, disk_->space - disk_->used};
}

void MemoryFileSystem::Crash(CrashMode mode, Random& random) {
  const MutexLock lock(disk_->mu);
  AP_CHECK(!disk_->crashed);
  disk_->root = disk_->root->AfterCrash(mode, random);
  disk_->used = BytesBelow(disk_->root);
  disk_->crashed = true;
  disk_->calls_until_death = -1;
}

void MemoryFileSystem::DieAfter(std::int64_t calls) {
  const MutexLock lock(disk_->mu);
  disk_->calls_until_death = calls;
}

bool MemoryFileSystem::is_dying() const {
  const MutexLock lock(disk_->mu);
  return disk_->calls_until_death == 0;
}

void MemoryFileSystem::Restart() {
  const MutexLock lock(disk_->mu);
  AP_CHECK(disk_->crashed);
  disk_->crashed = false;
  ++disk_->process;
}

void MemoryFileSystem::SyncAll() {
  const MutexLock lock(disk_->mu);
  SyncBelow(disk_->root);
}

void MemoryFileSystem::FailSyncsAfter(std::int64_t successes) {
  const MutexLock lock(disk_->mu);
  disk_->syncs_until_failure = successes;
}

void MemoryFileSystem::HealSyncs() {
  FailSyncsAfter(-1);
}

void MemoryFileSystem::SetSpace(std::int64_t bytes) {
  const MutexLock lock(disk_->mu);
  disk_->space = bytes;
}

void MemoryFileSystem::CutReadAfter(std::int64_t successes) {
  const MutexLock lock(disk_->mu);
  disk_->reads_until_short = successes;
}

std::int64_t MemoryFileSystem::syncs() const {
  const MutexLock lock(disk_->mu);
  return disk_->syncs;
}

}  // namespace apogee
