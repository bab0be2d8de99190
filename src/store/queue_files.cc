#include "store/queue_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>

#include "base/check.h"
#include "store/file_names.h"

namespace apogee {
namespace {

constexpr std::int64_t kUnitsAtOnce = 512;

}  // namespace

QueueFiles::QueueFiles(std::string directory, std::int64_t file_bytes, std::size_t open_files_max,
                       FileSystem& fs)
    : directory_(std::move(directory)),
      file_bytes_(file_bytes),
      open_files_max_(open_files_max),
      fs_(fs) {
  AP_CHECK(file_bytes_ > 0 && file_bytes_ % kQueueUnitBytes == 0);
}

Status QueueFiles::Read(const QueueRef& id, std::int64_t from, std::int64_t count,
                        std::vector<QueueEntry>* out) {
  std::array<std::byte, kUnitsAtOnce * kQueueUnitBytes> buffer;
  while (count > 0) {
    const std::int64_t at = from * kQueueUnitBytes;
    const std::int64_t start = at - at % file_bytes_;
    const std::int64_t in_file = (start + file_bytes_ - at) / kQueueUnitBytes;
    const std::int64_t units = std::min({count, in_file, kUnitsAtOnce});
    const auto bytes = std::span(buffer).first(static_cast<std::size_t>(units * kQueueUnitBytes));
    AP_TRY(const std::shared_ptr<File> file,
           Find(Key{QueueId{std::string(id.topic), id.queue}, start}));
    AP_RETURN_IF_ERROR(file->ReadAt(at - start, bytes));
    const char* unit = reinterpret_cast<const char*>(buffer.data());
    for (std::int64_t i = 0; i < units; ++i, unit += kQueueUnitBytes) {
      out->push_back(DecodeQueueUnit(unit));
    }
    from += units;
    count -= units;
  }
  return Ok();
}

Status QueueFiles::Write(const QueueRef& id, std::int64_t from,
                         std::span<const QueueEntry> entries) {
  std::string bytes;
  while (!entries.empty()) {
    const std::int64_t at = from * kQueueUnitBytes;
    const Key key{QueueId{std::string(id.topic), id.queue}, at - at % file_bytes_};
    const std::int64_t in_file = (key.start + file_bytes_ - at) / kQueueUnitBytes;
    const auto run = entries.first(std::min(entries.size(), static_cast<std::size_t>(in_file)));
    bytes.resize(run.size() * kQueueUnitBytes);
    char* to = bytes.data();
    for (const QueueEntry& entry : run) {
      EncodeQueueUnit(entry, to);
      to += kQueueUnitBytes;
    }
    Result<std::shared_ptr<File>> file = Fail(ErrorCode::kNotFound, "unfinished");
    if (!unfinished_.contains(key)) file = Find(key);
    if (!file.ok()) {
      if (file.error().code() != ErrorCode::kNotFound) return std::unexpected(file.error());
      AP_TRY(file, Create(key, (at - key.start) / kQueueUnitBytes));
    }
    if (names_doubtful_) NoteNames(id);
    unsynced_.insert(key);
    AP_RETURN_IF_ERROR((*file)->WriteAt(at - key.start, AsBytes(bytes)));
    from += static_cast<std::int64_t>(run.size());
    entries = entries.subspan(run.size());
  }
  return Ok();
}

Status QueueFiles::Sync() {
  for (auto next = unsynced_.begin(); next != unsynced_.end(); next = unsynced_.erase(next)) {
    AP_TRY(const std::shared_ptr<File> file, Find(*next));
    AP_RETURN_IF_ERROR(file->Sync());
  }
  for (auto next = unsynced_directories_.begin(); next != unsynced_directories_.end();
       next = unsynced_directories_.erase(next)) {
    AP_RETURN_IF_ERROR(fs_.SyncDirectory(*next));
  }
  names_doubtful_ = false;
  return Ok();
}

void QueueFiles::NoteNames(const QueueRef& id) {
  unsynced_directories_.insert(DirectoryOf(id));
  unsynced_directories_.insert(fmt::format("{}/{}", directory_, id.topic));
  unsynced_directories_.insert(directory_);
  unsynced_directories_.insert(directory_.substr(0, directory_.rfind('/')));
}

Status QueueFiles::ClearFrom(const QueueRef& id, std::int64_t from) {
  const std::int64_t at = from * kQueueUnitBytes;
  const std::int64_t first = at - at % file_bytes_;
  auto entries = fs_.List(DirectoryOf(id));
  if (!entries.ok()) {
    return entries.error().code() == ErrorCode::kNotFound
               ? Ok()
               : Status(std::unexpected(entries.error()));
  }
  for (const DirectoryEntry& entry : *entries) {
    const auto start = ParseOffsetFileName(entry.name);
    if (entry.is_directory || !start || *start < first) continue;
    const Key key{QueueId{std::string(id.topic), id.queue}, *start};
    if (*start > first || (at == first && from > 0)) {
      AP_RETURN_IF_ERROR(RemoveFile(id, *start));
      continue;
    }
    AP_TRY(const std::shared_ptr<File> file, Find(key));
    constexpr std::int64_t kChunk = 64 * 1024;
    static constexpr std::array<std::byte, kChunk> kZeros{};
    std::vector<std::byte> chunk(kChunk);
    for (std::int64_t place = at - first; place < file_bytes_; place += kChunk) {
      const auto bytes =
          std::span(chunk).first(static_cast<std::size_t>(std::min(kChunk, file_bytes_ - place)));
      AP_RETURN_IF_ERROR(file->ReadAt(place, bytes));
      if (std::memcmp(bytes.data(), kZeros.data(), bytes.size()) == 0) continue;
      AP_RETURN_IF_ERROR(file->WriteAt(place, ByteSpan(kZeros).first(bytes.size())));
      unsynced_.insert(key);
    }
  }
  return Ok();
}

Status QueueFiles::RemoveFile(const QueueRef& id, std::int64_t start) {
  const Key key{QueueId{std::string(id.topic), id.queue}, start};
  ForgetIf([&](const Key& open) { return open == key; });
  unsynced_.erase(key);
  unsynced_directories_.insert(DirectoryOf(id));
  return fs_.Remove(PathOf(key));
}

Status QueueFiles::RemoveQueue(const QueueRef& id) {
  ForgetIf([&](const Key& open) { return QueueRef(open.id) == id; });
  const auto is_its = [&](const Key& key) { return QueueRef(key.id) == id; };
  std::erase_if(unsynced_, is_its);
  std::erase_if(unfinished_, is_its);
  unsynced_directories_.erase(DirectoryOf(id));
  const Status removed = fs_.Remove(DirectoryOf(id));
  if (!removed.ok() && removed.error().code() != ErrorCode::kNotFound) return removed;
  if (removed.ok()) unsynced_directories_.insert(fmt::format("{}/{}", directory_, id.topic));
  return Ok();
}

Status QueueFiles::RemoveTopic(std::string_view topic) {
  ForgetIf([&](const Key& open) { return open.id.topic == topic; });
  const auto is_its = [&](const Key& key) { return key.id.topic == topic; };
  std::erase_if(unsynced_, is_its);
  std::erase_if(unfinished_, is_its);
  const std::string folder = fmt::format("{}/{}", directory_, topic);
  std::erase_if(unsynced_directories_, [&](const std::string& name) {
    return name == folder || name.starts_with(folder + "/");
  });
  const Status removed = fs_.Remove(folder);
  if (!removed.ok() && removed.error().code() != ErrorCode::kNotFound) return removed;
  if (removed.ok()) unsynced_directories_.insert(directory_);
  return Ok();
}

std::string QueueFiles::DirectoryOf(const QueueRef& id) const {
  return fmt::format("{}/{}/{}", directory_, id.topic, id.queue);
}

std::size_t QueueFiles::open_files() const {
  MutexLock lock(mu_);
  return open_.size();
}

Result<std::shared_ptr<File>> QueueFiles::Find(const Key& key) {
  {
    MutexLock lock(mu_);
    const auto found = open_.find(key);
    if (found != open_.end()) {
      used_.splice(used_.begin(), used_, found->second.use);
      return found->second.file;
    }
  }
  AP_TRY(std::shared_ptr<File> file, fs_.Open(PathOf(key), OpenMode::kExisting));
  Remember(key, file);
  return file;
}

Result<std::shared_ptr<File>> QueueFiles::Create(const Key& key, std::int64_t filled) {
  unfinished_.insert(key);
  ForgetIf([&](const Key& open) { return open == key; });
  NoteNames(key.id);
  AP_RETURN_IF_ERROR(fs_.MakeDirectory(DirectoryOf(key.id)));
  AP_TRY(std::shared_ptr<File> file, fs_.Open(PathOf(key), OpenMode::kCreateOrOpen));
  if (Status sized = file->Truncate(file_bytes_); !sized.ok()) {
    (void)fs_.Remove(PathOf(key));  // A short file would stop Apache's broker.
    return std::unexpected(sized.error());
  }
  AP_RETURN_IF_ERROR(Fill(*file, filled));
  unfinished_.erase(key);
  Remember(key, file);
  return file;
}

// Two threads may have opened the same file: the first one stays.
void QueueFiles::Remember(const Key& key, std::shared_ptr<File> file) {
  std::shared_ptr<File> oldest;  // Closed behind the lock.
  MutexLock lock(mu_);
  const auto [place, inserted] = open_.try_emplace(key);
  if (!inserted) return;
  used_.push_front(key);
  place->second = {std::move(file), used_.begin()};
  if (open_.size() > open_files_max_) {
    const auto last = open_.find(used_.back());
    oldest = std::move(last->second.file);
    open_.erase(last);
    used_.pop_back();
  }
}

void QueueFiles::ForgetIf(auto matches) {
  std::vector<std::shared_ptr<File>> closed;
  MutexLock lock(mu_);
  for (auto open = open_.begin(); open != open_.end();) {
    if (!matches(open->first)) {
      ++open;
      continue;
    }
    closed.push_back(std::move(open->second.file));
    used_.erase(open->second.use);
    open = open_.erase(open);
  }
}

std::string QueueFiles::PathOf(const Key& key) const {
  return fmt::format("{}/{}", DirectoryOf(key.id), OffsetFileName(key.start));
}

Status QueueFiles::Fill(File& file, std::int64_t units) {
  if (units == 0) return Ok();
  const std::int64_t at_once = std::min(units, kUnitsAtOnce);
  std::string bytes(static_cast<std::size_t>(at_once * kQueueUnitBytes), '\0');
  for (std::int64_t i = 0; i < at_once; ++i) {
    EncodeQueueUnit(kFillerUnit, bytes.data() + i * kQueueUnitBytes);
  }
  for (std::int64_t done = 0; done < units; done += at_once) {
    const std::int64_t run = std::min(at_once, units - done);
    AP_RETURN_IF_ERROR(file.WriteAt(done * kQueueUnitBytes,
                                    AsBytes(std::string_view(bytes).substr(
                                        0, static_cast<std::size_t>(run * kQueueUnitBytes)))));
  }
  return Ok();
}

}  // namespace apogee
