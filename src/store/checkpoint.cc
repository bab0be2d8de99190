#include "store/checkpoint.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/bytes.h"
#include "base/log.h"

namespace apogee {
namespace {

constexpr std::int64_t kCheckpointBytes = 4096;
constexpr std::size_t kFields = 6;

std::string DirectoryOf(const std::string& path) {
  return path.substr(0, path.rfind('/'));
}

}  // namespace

CheckpointFields Checkpoint::Load() {
  const auto text = fs_.ReadFile(path_, 1 << 20);
  if (!text.ok() || text->size() < kFields * 8) {
    if (fs_.Exists(path_)) LogWarning("store: {} is damaged and not used", path_);
    return {};
  }
  ByteReader in(*text);
  std::array<std::int64_t, kFields> values{};
  for (std::int64_t& value : values) value = in.Read<std::int64_t>();
  if (std::any_of(values.begin(), values.end(), [](std::int64_t v) { return v < 0; })) {
    LogWarning("store: {} holds negative values and is not used", path_);
    return {};
  }
  saved_ = {values[0], values[1], values[2], values[3], values[4], values[5]};
  return saved_;
}

Status Checkpoint::Save(const CheckpointFields& fields) {
  if (file_ && fields == saved_) return Ok();
  if (!file_) {
    const bool is_new = !fs_.Exists(path_);
    AP_TRY(file_, fs_.Open(path_, OpenMode::kCreateOrOpen));
    AP_TRY(const std::int64_t size, file_->Size());
    if (size != kCheckpointBytes) AP_RETURN_IF_ERROR(file_->Truncate(kCheckpointBytes));
    if (is_new) AP_RETURN_IF_ERROR(fs_.SyncDirectory(DirectoryOf(path_)));
  }
  std::string bytes;
  for (const std::int64_t value :
       {fields.log_time_ms, fields.queue_time_ms, fields.index_time_ms, fields.master_flushed,
        fields.confirm_offset, fields.queue_log_offset}) {
    AppendBigEndian(bytes, value);
  }
  AP_RETURN_IF_ERROR(file_->WriteAt(0, AsBytes(bytes)));
  AP_RETURN_IF_ERROR(file_->Sync());
  saved_ = fields;
  return Ok();
}

}  // namespace apogee
