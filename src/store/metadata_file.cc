#include "store/metadata_file.h"

#include <fmt/format.h>

#include <utility>

#include "base/log.h"
#include "store/durable_directory.h"

namespace apogee {
namespace {

constexpr std::int64_t kMetadataBytesMax = std::int64_t{512} << 20;

std::string DirectoryOf(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}

}  // namespace

MetadataFile::MetadataFile(std::string path, FileSystem& fs, Clock& clock)
    : path_(std::move(path)), fs_(fs), clock_(clock) {}

std::optional<Json> MetadataFile::Load() {
  for (const std::string& path : {path_, path_ + ".bak"}) {
    const auto text = fs_.ReadFile(path, kMetadataBytesMax);
    if (!text.ok()) {
      if (text.error().code() != ErrorCode::kNotFound) {
        LogError("{} cannot be read: {}", path, text.error().message());
      }
      continue;
    }
    auto json = Json::Parse(*text);
    if (json.ok() && json->is_object()) {
      // Only a good main file makes the next Save of the same content unnecessary.
      if (path == path_) last_ = *text;
      return std::move(*json);
    }
    const std::string aside = fmt::format("{}.damaged-{}", path, clock_.WallMs());
    LogError("{} is damaged ({}), kept as {}", path,
             json.ok() ? "no JSON object" : json.error().message(), aside);
    if (const Status moved = fs_.Rename(path, aside); !moved.ok()) {
      LogError("{} cannot be set aside: {}", path, moved.error().message());
    }
  }
  return std::nullopt;
}

// At every moment one of the two names holds a whole generation.
Status MetadataFile::Save(const Json& content) {
  std::string text = content.Dump(Json::Style::kPretty);
  if (text == last_) return Ok();
  const std::string directory = DirectoryOf(path_);
  const std::string fresh = path_ + ".tmp";
  AP_RETURN_IF_ERROR(MakeDurableDirectory(fs_, directory));
  AP_RETURN_IF_ERROR(fs_.WriteFile(fresh, text));
  if (fs_.Exists(path_)) {
    AP_RETURN_IF_ERROR(fs_.Rename(path_, path_ + ".bak"));
    AP_RETURN_IF_ERROR(fs_.SyncDirectory(directory));
  }
  AP_RETURN_IF_ERROR(fs_.Rename(fresh, path_));
  AP_RETURN_IF_ERROR(fs_.SyncDirectory(directory));
  last_ = std::move(text);
  return Ok();
}

}  // namespace apogee
