// The configuration of a topic, and the version stamp of such tables; JSON as in topics.json and on
// the wire.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "base/json.h"
#include "base/result.h"

namespace apogee {

inline constexpr std::int32_t kPermInherit = 1;
inline constexpr std::int32_t kPermWrite = 2;
inline constexpr std::int32_t kPermRead = 4;

inline constexpr std::int32_t kTopicSysFlagUnit = 1;
inline constexpr std::int32_t kTopicSysFlagUnitSub = 2;

struct TopicConfig {
  std::string name;
  std::int32_t read_queues = 16;
  std::int32_t write_queues = 16;
  std::int32_t perm = kPermRead | kPermWrite;
  bool multi_tag = false;  // topicFilterType MULTI_TAG.
  std::int32_t sys_flag = 0;
  bool order = false;
  std::map<std::string, std::string> attributes;

  bool operator==(const TopicConfig&) const = default;

  bool readable() const { return (perm & kPermRead) != 0; }
  bool writable() const { return (perm & kPermWrite) != 0; }
  bool inherited() const { return (perm & kPermInherit) != 0; }

  Json ToJson() const;
  static TopicConfig FromJson(const Json& json);
  // "TopicConfig [topicName=t, readQueueNums=1, …]" as error texts show it.
  std::string ToString() const;
};

// "RWX" with '-' for what is missing.
std::string PermText(std::int32_t perm);

// Orders by state version, counter, timestamp. Each change: counter + 1, timestamp = now.
struct DataVersion {
  std::int64_t state_version = 0;
  std::int64_t timestamp_ms = 0;
  std::int64_t counter = 0;

  bool operator==(const DataVersion&) const = default;
  void Advance(std::int64_t now_ms) {
    ++counter;
    timestamp_ms = now_ms;
  }
  Json ToJson() const;
  static DataVersion FromJson(const Json& json);
};

}  // namespace apogee
