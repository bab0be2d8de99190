#include "nameserver/kv_config.h"

#include <utility>

#include "base/json.h"
#include "base/log.h"
#include "nameserver/replaced_file.h"

namespace apogee {
namespace {

// What an entry or a namespace costs beside its texts, about.
constexpr std::size_t kNodeBytes = 128;

std::size_t Cost(std::string_view key, std::string_view value) {
  return key.size() + value.size() + kNodeBytes;
}

}  // namespace

Status KvConfig::Load() {
  if (path_.empty()) return Ok();
  const Status main = LoadFrom(path_);
  if (main.has_value()) return main;
  if (main.error().code() == ErrorCode::kCorruption) {
    LogError("{} is damaged ({}); it is kept as {}.damaged and the one before is used", path_,
             main.error().message(), path_);
    AP_RETURN_IF_ERROR(fs_.Rename(path_, path_ + ".damaged"));
  } else if (main.error().code() != ErrorCode::kNotFound) {
    return main;
  }
  const Status before = LoadFrom(path_ + ".bak");
  const bool absent = !before.has_value() && before.error().code() == ErrorCode::kNotFound;
  return absent ? Ok() : before;
}

Status KvConfig::LoadFrom(const std::string& path) {
  if (!fs_.Exists(path)) return Fail(ErrorCode::kNotFound, path + " is not there");
  AP_TRY(const std::string text, fs_.ReadFile(path, std::int64_t{kBytesMax} * 2));
  const auto json = Json::Parse(text);
  if (!json.ok() || !json->is_object()) return Fail(ErrorCode::kCorruption, path + " is no JSON");
  const MutexLock lock(mu_);
  tables_.clear();
  bytes_ = 0;
  for (const auto& [name_space, table] : (*json)["configTable"].object()) {
    Table& into = tables_[name_space];
    for (const auto& [key, value] : table.object()) {
      into[key] = value.ToText();
      bytes_ += Cost(key, into[key]);
    }
  }
  return Ok();
}

Status KvConfig::Save() {
  Json tables{Json::Object()};
  std::int64_t changes = 0;
  {
    const MutexLock lock(mu_);
    if (changes_ == saved_changes_) return Ok();
    changes = changes_;
    for (const auto& [name_space, table] : tables_) {
      Json::Object members;
      for (const auto& [key, value] : table) members.emplace_back(key, value);
      tables.Set(name_space, Json(std::move(members)));
    }
  }
  if (!path_.empty()) {
    Json json;
    json.Set("configTable", std::move(tables));
    AP_RETURN_IF_ERROR(ReplaceFile(fs_, path_, json.Dump(Json::Style::kPretty)));
  }
  const MutexLock lock(mu_);
  saved_changes_ = changes;
  return Ok();
}

Status KvConfig::Put(std::string_view name_space, std::string_view key, std::string_view value) {
  const MutexLock lock(mu_);
  if (bytes_ + Cost(key, value) + Cost(name_space, {}) > kBytesMax) {
    return Fail(ErrorCode::kResourceExhausted, "the name server's KV table is full");
  }
  auto table = tables_.find(name_space);
  if (table == tables_.end()) {
    table = tables_.try_emplace(std::string(name_space)).first;
    bytes_ += Cost(name_space, {});
  }
  auto [entry, added] = table->second.try_emplace(std::string(key));
  if (added) bytes_ += Cost(key, {});
  bytes_ += value.size();
  bytes_ -= entry->second.size();
  entry->second = value;
  ++changes_;
  return Ok();
}

bool KvConfig::Delete(std::string_view name_space, std::string_view key) {
  const MutexLock lock(mu_);
  const auto table = tables_.find(name_space);
  if (table == tables_.end()) return false;
  const auto entry = table->second.find(key);
  if (entry == table->second.end()) return false;
  bytes_ -= Cost(entry->first, entry->second);
  table->second.erase(entry);
  ++changes_;
  return true;
}

std::optional<std::string> KvConfig::Get(std::string_view name_space, std::string_view key) const {
  const MutexLock lock(mu_);
  const auto table = tables_.find(name_space);
  if (table == tables_.end()) return std::nullopt;
  const auto entry = table->second.find(key);
  return entry == table->second.end() ? std::nullopt : std::optional(entry->second);
}

std::optional<std::map<std::string, std::string>> KvConfig::List(
    std::string_view name_space) const {
  const MutexLock lock(mu_);
  const auto table = tables_.find(name_space);
  if (table == tables_.end()) return std::nullopt;
  return std::map<std::string, std::string>(table->second.begin(), table->second.end());
}

}  // namespace apogee
