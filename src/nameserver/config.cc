#include "nameserver/config.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <set>
#include <utility>
#include <variant>

#include "nameserver/replaced_file.h"

namespace apogee {
namespace {

using Options = NameServerOptions;
using Member = std::variant<std::string Options::*, std::uint16_t Options::*, bool Options::*,
                            std::int32_t Options::*, std::int64_t Options::*>;

struct Key {
  std::string_view name;
  Member member;
  bool changeable;
};
// An allow list: nothing else can be changed over the wire, whatever the black list says.
const auto& Keys() {
  static const auto kKeys = std::to_array<Key>({
      {"bindAddress", &Options::bind_address, false},
      {"configBlackList", &Options::config_black_list, false},
      {"configStorePath", &Options::config_store_path, false},
      {"deleteTopicWithBrokerRegistration", &Options::delete_topic_with_broker_registration, true},
      {"enableAllTopicList", &Options::enable_all_topic_list, true},
      {"enableTopicList", &Options::enable_topic_list, true},
      {"kvConfigPath", &Options::kv_config_path, false},
      {"listenPort", &Options::listen_port, false},
      {"needWaitForService", &Options::need_wait_for_service, true},
      {"notifyMinBrokerIdChanged", &Options::notify_min_broker_id_changed, true},
      {"orderMessageEnable", &Options::order_message_enable, true},
      {"returnOrderTopicConfigToBroker", &Options::return_order_topic_config_to_broker, true},
      {"scanNotActiveBrokerInterval", &Options::scan_not_active_broker_interval_ms, true},
      {"supportActingMaster", &Options::support_acting_master, true},
      {"waitSecondsForService", &Options::wait_seconds_for_service, true},
  });
  return kKeys;
}

std::string_view Trim(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

using Lines = std::map<std::string, std::string, std::less<>>;

Lines ReadLines(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos || line.starts_with('#')) continue;
    lines[std::string(Trim(line.substr(0, equals)))] = Trim(line.substr(equals + 1));
  }
  return lines;
}

bool Listed(std::string_view list, std::string_view key) {
  while (!list.empty()) {
    const std::size_t end = list.find(';');
    if (Trim(list.substr(0, end)) == key) return true;
    list = end == std::string_view::npos ? std::string_view() : list.substr(end + 1);
  }
  return false;
}

void SetNumber(std::string_view text, auto& number) {
  std::remove_reference_t<decltype(number)> value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc{} && end == text.data() + text.size()) number = value;
}

struct Setter {
  Options& options;
  std::string_view text;
  void operator()(std::string Options::* member) const { options.*member = text; }
  void operator()(bool Options::* member) const {
    options.*member = std::ranges::equal(text, std::string_view("true"),
                                         [](char a, char b) { return (a | 0x20) == b; });
  }
  void operator()(auto member) const { SetNumber(text, options.*member); }
};

struct Getter {
  const Options& options;
  std::string operator()(std::string Options::* member) const { return options.*member; }
  std::string operator()(bool Options::* member) const {
    return options.*member ? "true" : "false";
  }
  std::string operator()(auto member) const { return std::to_string(options.*member); }
};

// Which changeable keys are among the lines.
std::set<std::string_view> Apply(const Lines& lines, Options& options) {
  std::set<std::string_view> applied;
  for (const Key& key : Keys()) {
    const auto line = lines.find(key.name);
    if (!key.changeable || line == lines.end()) continue;
    std::visit(Setter{options, line->second}, key.member);
    applied.insert(key.name);
  }
  return applied;
}

void AppendLine(const Key& key, const Options& options, std::string& text) {
  text.append(key.name).append("=");
  text.append(std::visit(Getter{options}, key.member)).append("\n");
}

}  // namespace

Status NameServerConfig::Load() {
  std::string path = Options().config_store_path;
  if (path.empty()) return Ok();
  if (!fs_.Exists(path)) path += ".bak";  // Replaced, and ended half-way.
  if (!fs_.Exists(path)) return Ok();
  AP_TRY(const std::string text, fs_.ReadFile(path, 1 << 20));
  const MutexLock lock(mu_);
  changed_keys_ = Apply(ReadLines(text), options_);
  return Ok();
}

Status NameServerConfig::Save() {
  std::string path;
  std::string text;
  {
    const MutexLock lock(mu_);
    if (!unsaved_) return Ok();
    unsaved_ = false;
    path = options_.config_store_path;
    for (const Key& key : Keys()) {
      if (changed_keys_.contains(key.name)) AppendLine(key, options_, text);
    }
  }
  if (path.empty()) return Ok();
  Status saved = ReplaceFile(fs_, path, text);
  if (!saved.has_value()) {
    const MutexLock lock(mu_);
    unsaved_ = true;
  }
  return saved;
}

NameServerOptions NameServerConfig::Options() const {
  const MutexLock lock(mu_);
  return options_;
}

std::string NameServerConfig::Text() const {
  const NameServerOptions options = Options();
  std::string text;
  for (const Key& key : Keys()) AppendLine(key, options, text);
  return text;
}

bool NameServerConfig::Update(std::string_view text) {
  const Lines lines = ReadLines(text);
  const MutexLock lock(mu_);
  if (std::ranges::any_of(lines, [this](const auto& line) AP_NO_THREAD_SAFETY_ANALYSIS {
        return Listed(options_.config_black_list, line.first);
      })) {
    return false;
  }
  const std::set<std::string_view> applied = Apply(lines, options_);
  changed_keys_.insert(applied.begin(), applied.end());
  if (!applied.empty()) unsaved_ = true;
  return true;
}

void NameServerConfig::SetListenPort(std::uint16_t port) {
  const MutexLock lock(mu_);
  options_.listen_port = port;
}

}  // namespace apogee
