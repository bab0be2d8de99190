#include "env/fake/memory_node.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"

namespace apogee {
namespace {

constexpr std::size_t kSectorBytes = 512;

}  // namespace

void MemoryFileNode::Resize(std::int64_t size) {
  if (size == this->size()) return;
  AP_CHECK(mappings_ == 0);  // The mapping would dangle; the real one would fault.
  bytes_->resize(static_cast<std::size_t>(size));
}

void MemoryFileNode::Sync() {
  disk_ = *bytes_;
}

std::shared_ptr<MemoryFileNode> MemoryFileNode::AfterCrash(CrashMode mode, Random& random) const {
  auto after = std::make_shared<MemoryFileNode>();
  Bytes& bytes = *after->bytes_;
  switch (mode) {
    case CrashMode::kProcess:
      // Still in the page cache, still to be lost by a later power failure.
      after->disk_ = disk_;
      bytes = *bytes_;
      return after;
    case CrashMode::kPowerLost:
      bytes = disk_;
      break;
    case CrashMode::kPowerKept:
      bytes = *bytes_;
      break;
    case CrashMode::kPowerTorn:
      bytes = disk_;
      Tear(*bytes_, bytes, random);
      break;
  }
  after->disk_ = bytes;
  return after;
}

// Each page by itself: not written, written, or torn between two sectors, which disks write whole.
void MemoryFileNode::Tear(const Bytes& seen, Bytes& disk, Random& random) {
  if (seen.size() != disk.size() && random.Below(2) == 0) disk.resize(seen.size());
  const std::size_t common = std::min(seen.size(), disk.size());
  constexpr auto kPage = static_cast<std::size_t>(kMemoryPageBytes);
  for (std::size_t at = 0; at < common; at += kPage) {
    const std::size_t length = std::min(kPage, common - at);
    if (std::memcmp(seen.data() + at, disk.data() + at, length) == 0) continue;
    std::size_t written = 0;
    switch (random.Below(4)) {
      case 0:
        break;
      case 1:
        written = kSectorBytes * static_cast<std::size_t>(random.Below(length / kSectorBytes + 1));
        written = std::min(written, length);
        break;
      default:
        written = length;
        break;
    }
    std::copy_n(seen.begin() + static_cast<std::ptrdiff_t>(at), written,
                disk.begin() + static_cast<std::ptrdiff_t>(at));
  }
}

MemoryNodeRef MemoryFolderNode::Find(std::string_view name) const {
  const auto entry = entries_.find(name);
  return entry != entries_.end() ? entry->second : nullptr;
}

void MemoryFolderNode::ApplyTo(Entries& entries, const std::vector<Edit>& edits) {
  for (const Edit& edit : edits) {
    if (edit.node == nullptr) {
      entries.erase(edit.name);
    } else {
      entries[edit.name] = edit.node;
    }
  }
}

void MemoryFolderNode::Apply(std::vector<Edit> edits) {
  ApplyTo(entries_, edits);
  unsynced_.push_back(std::move(edits));
}

void MemoryFolderNode::Sync() {
  disk_ = entries_;
  unsynced_.clear();
}

std::shared_ptr<MemoryFolderNode> MemoryFolderNode::AfterCrash(CrashMode mode,
                                                               Random& random) const {
  // Each node once, so that a file keeps its identity where two states of the folder name it.
  std::map<const MemoryNode*, MemoryNodeRef> made;
  const auto after_crash = [&](const MemoryNodeRef& node) -> MemoryNodeRef {
    if (node == nullptr) return nullptr;
    MemoryNodeRef& after = made[node.get()];
    if (after == nullptr) {
      if (const auto* file = dynamic_cast<const MemoryFileNode*>(node.get())) {
        after = file->AfterCrash(mode, random);
      } else {
        after = dynamic_cast<const MemoryFolderNode&>(*node).AfterCrash(mode, random);
      }
    }
    return after;
  };
  auto folder = std::make_shared<MemoryFolderNode>();
  std::size_t kept = 0;  // Of the unsynced edits.
  if (mode == CrashMode::kPowerKept) kept = unsynced_.size();
  if (mode == CrashMode::kPowerTorn) {
    kept = static_cast<std::size_t>(random.Below(unsynced_.size() + 1));
  }
  for (const auto& [name, node] : disk_) folder->disk_[name] = after_crash(node);
  for (std::size_t i = 0; i < unsynced_.size(); ++i) {
    std::vector<Edit> edits = unsynced_[i];
    for (Edit& edit : edits) edit.node = after_crash(edit.node);
    if (mode == CrashMode::kProcess) {
      folder->unsynced_.push_back(std::move(edits));
    } else if (i < kept) {
      ApplyTo(folder->disk_, edits);
    }
  }
  folder->entries_ = folder->disk_;
  for (const auto& edits : folder->unsynced_) ApplyTo(folder->entries_, edits);
  return folder;
}

}  // namespace apogee
