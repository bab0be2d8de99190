#include "store/segment_chain.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "base/log.h"
#include "store/file_names.h"

namespace apogee {
namespace {

Result<bool> IsAllZero(FileSystem& fs, const std::string& path, std::int64_t size) {
  AP_TRY(const auto file, fs.Open(path, OpenMode::kExisting));
  std::vector<std::byte> chunk(1 << 20);
  for (std::int64_t at = 0; at < size; at += static_cast<std::int64_t>(chunk.size())) {
    chunk.resize(std::min(chunk.size(), static_cast<std::size_t>(size - at)));
    AP_RETURN_IF_ERROR(file->ReadAt(at, chunk));
    if (std::any_of(chunk.begin(), chunk.end(), [](std::byte b) { return b != std::byte{0}; })) {
      return false;
    }
  }
  return true;
}

}  // namespace

Result<SegmentChain::Listing> SegmentChain::Inspect(const std::string& directory,
                                                    std::int64_t segment_bytes_default,
                                                    FileSystem& fs) {
  Listing listing;
  auto entries = fs.List(directory);
  if (!entries.ok()) {
    if (entries.error().code() != ErrorCode::kNotFound) return std::unexpected(entries.error());
    listing.segment_bytes = segment_bytes_default;
    return listing;
  }
  for (const DirectoryEntry& entry : *entries) {
    if (entry.is_directory) continue;
    const auto start = ParseOffsetFileName(entry.name);
    if (!start) {
      return Fail(ErrorCode::kCorruption,
                  fmt::format("{}/{} is not a commit log file (20 digits): move it away", directory,
                              entry.name));
    }
    bool unused = entry.size == 0;
    if (!unused && entry.size < listing.segment_bytes && &entry == &entries->back()) {
      // The power failed while it was made.
      AP_TRY(unused, IsAllZero(fs, directory + "/" + entry.name, entry.size));
    }
    if (unused) {
      listing.empty.push_back(entry.name);
      continue;
    }
    if (!listing.empty.empty()) {
      return Fail(ErrorCode::kCorruption,
                  fmt::format("{}/{} is empty and not the last commit log file: move it away",
                              directory, listing.empty.front()));
    }
    if (listing.segment_bytes == 0) listing.segment_bytes = entry.size;
    if (entry.size != listing.segment_bytes) {
      return Fail(ErrorCode::kCorruption,
                  fmt::format("{}/{} has {} bytes, the files before it {}: it was cut short or "
                              "belongs to another store",
                              directory, entry.name, entry.size, listing.segment_bytes));
    }
    if (*start % listing.segment_bytes != 0 ||
        (!listing.starts.empty() && *start != listing.starts.back() + listing.segment_bytes)) {
      return Fail(
          ErrorCode::kCorruption,
          fmt::format("{}/{} does not continue the commit log: files of {} bytes are missing "
                      "before it, or its size is wrong",
                      directory, entry.name, listing.segment_bytes));
    }
    listing.starts.push_back(*start);
  }
  if (listing.segment_bytes == 0) listing.segment_bytes = segment_bytes_default;
  return listing;
}

Result<std::unique_ptr<SegmentChain>> SegmentChain::Load(const std::string& directory,
                                                         const Listing& listing, FileSystem& fs) {
  std::unique_ptr<SegmentChain> chain(new SegmentChain(directory, listing.segment_bytes, fs));
  for (const std::string& name : listing.empty) {
    LogInfo("store: {}/{} was never used, removed", directory, name);
    AP_RETURN_IF_ERROR(fs.Remove(directory + "/" + name));
  }
  for (const std::int64_t start : listing.starts) {
    AP_TRY(auto file, fs.Map(chain->PathOf(LogOffset(start)), -1));
    if (file->size() != listing.segment_bytes) {
      return Fail(ErrorCode::kCorruption, fmt::format("{} changed its size while it was opened",
                                                      chain->PathOf(LogOffset(start))));
    }
    chain->Add(std::make_shared<Segment>(LogOffset(start), std::move(file)));
  }
  return chain;
}

Result<std::shared_ptr<Segment>> SegmentChain::Create(LogOffset start) {
  AP_TRY(auto file, fs_.Map(PathOf(start), segment_bytes_));
  if (file->size() != segment_bytes_) {
    return Fail(ErrorCode::kCorruption,
                fmt::format("{} is there already with {} bytes", PathOf(start), file->size()));
  }
  // Its length first: a file that a power loss leaves shorter would refuse the next start.
  AP_RETURN_IF_ERROR(file->Sync());
  AP_RETURN_IF_ERROR(fs_.SyncDirectory(directory_));
  return std::make_shared<Segment>(start, std::move(file));
}

void SegmentChain::Add(std::shared_ptr<Segment> segment) {
  MutexLock lock(mu_);
  AP_CHECK(segments_.empty() || segments_.back()->end() == segment->start());
  segments_.push_back(std::move(segment));
}

Status SegmentChain::RemoveFrom(LogOffset from) {
  std::vector<std::shared_ptr<Segment>> removed;
  {
    MutexLock lock(mu_);
    while (!segments_.empty() && segments_.back()->start() >= from) {
      removed.push_back(std::move(segments_.back()));
      segments_.pop_back();
    }
  }
  for (const auto& segment : removed) AP_RETURN_IF_ERROR(fs_.Remove(PathOf(segment->start())));
  if (!removed.empty()) AP_RETURN_IF_ERROR(fs_.SyncDirectory(directory_));
  return Ok();
}

Status SegmentChain::Discard(const Segment& segment) {
  AP_RETURN_IF_ERROR(fs_.Remove(PathOf(segment.start())));
  return fs_.SyncDirectory(directory_);
}

std::shared_ptr<Segment> SegmentChain::Find(LogOffset at) const {
  MutexLock lock(mu_);
  if (segments_.empty() || at < segments_.front()->start()) return nullptr;
  const auto index = static_cast<std::size_t>((at - segments_.front()->start()) / segment_bytes_);
  return index < segments_.size() ? segments_[index] : nullptr;
}

std::vector<std::shared_ptr<Segment>> SegmentChain::Between(LogOffset from, LogOffset to) const {
  std::vector<std::shared_ptr<Segment>> found;
  MutexLock lock(mu_);
  for (const auto& segment : segments_) {
    if (segment->start() < to && segment->end() > from) found.push_back(segment);
  }
  return found;
}

std::shared_ptr<Segment> SegmentChain::first() const {
  MutexLock lock(mu_);
  return segments_.empty() ? nullptr : segments_.front();
}

std::shared_ptr<Segment> SegmentChain::last() const {
  MutexLock lock(mu_);
  return segments_.empty() ? nullptr : segments_.back();
}

std::string SegmentChain::PathOf(LogOffset start) const {
  return directory_ + "/" + OffsetFileName(start.value());
}

}  // namespace apogee
