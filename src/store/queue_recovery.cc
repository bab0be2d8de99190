#include "store/queue_recovery.h"

#include <charconv>
#include <map>
#include <optional>

#include "base/log.h"
#include "message/properties.h"
#include "store/file_names.h"
#include "store/queue_unit.h"
#include "store/record_scanner.h"

namespace apogee {
namespace {

// More wrong units than this at the end of a queue, and it is not a tail but damage.
constexpr std::int64_t kWrongUnitsMax = 10'000;

// Light message queues: one record with entries in several queues, which it names, comma separated.
bool IsDispatchedTo(std::string_view properties, std::string_view topic) {
  std::string_view rest = FindProperty(properties, "INNER_MULTI_DISPATCH").value_or("");
  while (!rest.empty()) {
    const std::size_t comma = rest.find(',');
    if (rest.substr(0, comma) == topic) return true;
    rest = comma == std::string_view::npos ? "" : rest.substr(comma + 1);
  }
  return false;
}

std::optional<std::int32_t> ParseQueueNumber(const std::string& name) {
  std::int32_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error != std::errc{} || end != name.data() + name.size() || number < 0 ||
      std::to_string(number) != name) {
    return std::nullopt;
  }
  return number;
}

}  // namespace

Result<std::vector<QueueListing>> ListQueues(const std::string& directory, FileSystem& fs) {
  std::vector<QueueListing> queues;
  const auto topics = fs.List(directory);
  if (!topics.ok()) {
    if (topics.error().code() == ErrorCode::kNotFound) return queues;
    return std::unexpected(topics.error());
  }
  for (const DirectoryEntry& topic : *topics) {
    if (!topic.is_directory) continue;
    AP_TRY(const auto numbers, fs.List(directory + "/" + topic.name));
    for (const DirectoryEntry& number : numbers) {
      const auto queue = ParseQueueNumber(number.name);
      if (!number.is_directory || !queue) continue;
      QueueListing listing{{topic.name, *queue}, {}};
      AP_TRY(auto files, fs.List(directory + "/" + topic.name + "/" + number.name));
      for (DirectoryEntry& file : files) {
        if (!file.is_directory && ParseOffsetFileName(file.name)) {
          listing.files.push_back(std::move(file));
        } else {
          LogWarning("store: {}/{}/{}/{} is no queue file and not used", directory, topic.name,
                     number.name, file.name);
        }
      }
      queues.push_back(std::move(listing));
    }
  }
  return queues;
}

std::int64_t QueueFileBytes(const std::vector<QueueListing>& queues, std::int64_t otherwise) {
  std::map<std::int64_t, std::int64_t> votes;
  for (const QueueListing& queue : queues) {
    for (const DirectoryEntry& file : queue.files) {
      if (file.size > 0 && file.size % kQueueUnitBytes == 0) ++votes[file.size];
    }
  }
  std::int64_t most = 0;
  std::int64_t bytes = otherwise;
  for (const auto& [size, count] : votes) {
    if (count > most) {
      most = count;
      bytes = size;
    }
  }
  return bytes;
}

Result<LogOffset> QueueRecovery::Load(QueueListing listing, LogOffset scan_from, bool thorough) {
  const QueueRef id = listing.id;
  const LogOffset log_start = chain_.first()->start();
  if (thorough) {
    AP_RETURN_IF_ERROR(DropUnfinished(&listing));
    // As if the queue had never been: the scan finds it, or that more of it is missing.
    if (listing.files.empty()) return scan_from;
  }
  if (!IsWhole(listing)) {
    LogWarning("store: the queue files in {} are damaged, rebuilt from the log",
               files_.DirectoryOf(id));
    AP_RETURN_IF_ERROR(distrust_());
    AP_RETURN_IF_ERROR(files_.RemoveQueue(id));
    return log_start;
  }
  const std::int64_t first = *ParseOffsetFileName(listing.files.front().name) / kQueueUnitBytes;
  const std::int64_t limit =
      first + static_cast<std::int64_t>(listing.files.size()) * files_.units_per_file();
  AP_TRY(std::int64_t end, FirstNot(id, first, limit, [&](const QueueEntry& unit) {
           return IsUnitWritten(unit) && (!IsUnitReal(unit) || unit.at < scan_from);
         }));

  const std::int64_t found = end;
  std::int64_t last_at = -1;
  LogOffset complete_to = log_start;
  for (; end > first; --end) {
    AP_TRY(const QueueEntry unit, UnitAt(id, end - 1));
    if (!IsUnitReal(unit)) continue;  // Fillers alone are no entries.
    if (unit.at < log_start || NamesItsRecord(id, end - 1, unit)) {
      last_at = unit.at.value();
      complete_to = std::max(log_start, unit.at + unit.size);
      break;
    }
    if (found - end >= kWrongUnitsMax) {
      LogWarning("store: {} names other records than its own, rebuilt from the log",
                 files_.DirectoryOf(id));
      AP_RETURN_IF_ERROR(distrust_());
      AP_RETURN_IF_ERROR(files_.RemoveQueue(id));
      return log_start;
    }
  }
  if (end < found) {
    LogWarning("store: {}: the last {} units name no record of the queue, cleared",
               files_.DirectoryOf(id), found - end);
    AP_RETURN_IF_ERROR(distrust_());
    scan_from = std::min(scan_from, complete_to);
  }
  // An empty file is what a crash leaves of a queue that began after the checkpoint; otherwise the
  // queue's first entries are missing unless its first unit lies where the scan comes anyway.
  bool begins_later = thorough && end == first;
  if (end == first && found == first) {
    AP_TRY(const QueueEntry unit, UnitAt(id, first));
    begins_later |= IsUnitReal(unit) && NamesItsRecord(id, first, unit);
  }
  bool clear = thorough || end < found;
  if (!clear && end < limit) {
    AP_TRY(const QueueEntry behind, UnitAt(id, end));
    clear = behind.at.value() != 0 || behind.size != 0 || behind.tag_code != 0;
  }
  if (clear) AP_RETURN_IF_ERROR(files_.ClearFrom(id, end));
  if (end == first) return first == 0 && begins_later && end == found ? scan_from : log_start;
  AP_TRY(const std::int64_t min, FirstNot(id, first, end, [&](const QueueEntry& unit) {
           return !IsUnitReal(unit) || unit.at < log_start;
         }));
  table_.Restore(id, {min, end, last_at});
  return scan_from;
}

Status QueueRecovery::DropUnfinished(QueueListing* listing) {
  while (!listing->files.empty() && listing->files.back().size != files_.file_bytes()) {
    AP_RETURN_IF_ERROR(
        files_.RemoveFile(listing->id, *ParseOffsetFileName(listing->files.back().name)));
    listing->files.pop_back();
  }
  return Ok();
}

bool QueueRecovery::IsWhole(const QueueListing& listing) const {
  if (listing.files.empty()) return false;
  std::optional<std::int64_t> next;
  for (const DirectoryEntry& file : listing.files) {
    const std::int64_t start = *ParseOffsetFileName(file.name);
    if (file.size != files_.file_bytes() || start % files_.file_bytes() != 0) return false;
    if (next && start != *next) return false;
    next = start + file.size;
  }
  return true;
}

template <typename Holds>
Result<std::int64_t> QueueRecovery::FirstNot(const QueueRef& id, std::int64_t low,
                                             std::int64_t high, Holds holds) {
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    AP_TRY(const QueueEntry unit, UnitAt(id, middle));
    if (holds(unit)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

Result<QueueEntry> QueueRecovery::UnitAt(const QueueRef& id, std::int64_t index) {
  std::vector<QueueEntry> unit;
  AP_RETURN_IF_ERROR(files_.Read(id, index, 1, &unit));
  return unit.front();
}

bool QueueRecovery::NamesItsRecord(const QueueRef& id, std::int64_t index,
                                   const QueueEntry& unit) const {
  const std::shared_ptr<Segment> segment = chain_.Find(unit.at);
  if (!segment) return false;
  const auto record = RecordAt(*segment, unit.at, CrcCheck::kSkip);
  if (!record || record->bytes.size() != static_cast<std::size_t>(unit.size)) return false;
  if (record->topic == id.topic && record->queue_id == id.queue) {
    return record->queue_offset.value() == index && IsQueued(record->sys_flag);
  }
  return IsDispatchedTo(record->properties, id.topic);
}

}  // namespace apogee
