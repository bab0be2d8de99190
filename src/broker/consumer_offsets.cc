#include "broker/consumer_offsets.h"

#include <charconv>
#include <utility>

namespace apogee {
namespace {

constexpr char kSeparator = '@';
// consumerOffsetUpdateVersionStep: the version moves on every so many commits.
constexpr std::int64_t kVersionStep = 500;

// Neither topics nor groups may hold an '@' (message/names.h), so the text is unambiguous.
std::string KeyOf(std::string_view topic, std::string_view group) {
  std::string key;
  key.reserve(topic.size() + group.size() + 1);
  key += topic;
  key += kSeparator;
  key += group;
  return key;
}

std::string_view TopicOf(std::string_view key) {
  return key.substr(0, key.find(kSeparator));
}

std::string_view GroupOf(std::string_view key) {
  const std::size_t at = key.find(kSeparator);
  return at == std::string_view::npos ? std::string_view() : key.substr(at + 1);
}

}  // namespace

ConsumerOffsets::ConsumerOffsets(MetadataFile file, Clock& clock)
    : clock_(clock), file_(std::move(file)) {
  std::optional<Json> saved;
  {
    MutexLock lock(file_mu_);
    saved = file_.Load();
  }
  if (!saved) return;
  MutexLock lock(mu_);
  version_ = DataVersion::FromJson((*saved)["dataVersion"]);
  for (const auto& [key, queues] : (*saved)["offsetTable"].object()) {
    Queues& into = offsets_[key];
    for (const auto& [number, offset] : queues.object()) {
      std::int32_t queue = 0;
      const auto [end, error] =
          std::from_chars(number.data(), number.data() + number.size(), queue);
      if (error == std::errc() && end == number.data() + number.size()) {
        into[queue] = offset.ToInt(-1);
      }
    }
  }
}

std::optional<std::int64_t> ConsumerOffsets::Find(std::string_view group, std::string_view topic,
                                                  std::int32_t queue) const {
  const std::string key = KeyOf(topic, group);
  MutexLock lock(mu_);
  const auto at = offsets_.find(key);
  if (at == offsets_.end()) return std::nullopt;
  const auto offset = at->second.find(queue);
  if (offset == at->second.end() || offset->second < 0) return std::nullopt;
  return offset->second;
}

void ConsumerOffsets::Commit(std::string_view group, std::string_view topic, std::int32_t queue,
                             std::int64_t offset) {
  // The Go client sends -1 for a queue it was given and has not pulled from. Taking that for a
  // position, as Apache's broker does, would lose the one the group has.
  if (offset < 0) return;
  std::string key = KeyOf(topic, group);
  MutexLock lock(mu_);
  offsets_[std::move(key)][queue] = offset;
  if (++commits_ % kVersionStep == 0) version_.Advance(clock_.WallMs());
}

void ConsumerOffsets::RemoveTopic(std::string_view topic) {
  MutexLock lock(mu_);
  std::erase_if(offsets_, [&](const auto& entry) { return TopicOf(entry.first) == topic; });
}

void ConsumerOffsets::RemoveGroup(std::string_view group) {
  MutexLock lock(mu_);
  std::erase_if(offsets_, [&](const auto& entry) { return GroupOf(entry.first) == group; });
}

std::vector<std::string> ConsumerOffsets::TopicsOf(std::string_view group) const {
  MutexLock lock(mu_);
  std::vector<std::string> topics;
  for (const auto& [key, queues] : offsets_) {
    if (GroupOf(key) == group) topics.emplace_back(TopicOf(key));
  }
  return topics;
}

std::vector<std::string> ConsumerOffsets::GroupsOf(std::string_view topic) const {
  MutexLock lock(mu_);
  std::vector<std::string> groups;
  for (const auto& [key, queues] : offsets_) {
    if (TopicOf(key) == topic) groups.emplace_back(GroupOf(key));
  }
  return groups;
}

Json ConsumerOffsets::ToJson() const {
  MutexLock lock(mu_);
  Json::Object table;
  table.reserve(offsets_.size());
  for (const auto& [key, queues] : offsets_) {
    Json::Object numbers;
    numbers.reserve(queues.size());
    for (const auto& [queue, offset] : queues) numbers.emplace_back(std::to_string(queue), offset);
    table.emplace_back(key, Json(std::move(numbers)));
  }
  Json content(Json::Object{});
  content.Set("dataVersion", version_.ToJson());
  content.Set("offsetTable", Json(std::move(table)));
  return content;
}

Status ConsumerOffsets::Persist() {
  MutexLock file_lock(file_mu_);
  return file_.Save(ToJson());
}

}  // namespace apogee
