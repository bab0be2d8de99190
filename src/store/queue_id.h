// Names a queue: a topic and a number within it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace apogee {

struct QueueId {
  std::string topic;
  std::int32_t queue = 0;
  auto operator<=>(const QueueId&) const = default;
};

// The same without owning the name, for look-ups on the hot path.
struct QueueRef {
  std::string_view topic;
  std::int32_t queue = 0;
  QueueRef(std::string_view t, std::int32_t q) : topic(t), queue(q) {}
  QueueRef(const QueueId& id) : topic(id.topic), queue(id.queue) {}
  bool operator==(const QueueRef&) const = default;
};

struct QueueHash {
  using is_transparent = void;
  std::size_t operator()(const QueueRef& id) const {
    return std::hash<std::string_view>{}(id.topic) * 31 + static_cast<std::size_t>(id.queue);
  }
};
struct QueueEqual {
  using is_transparent = void;
  bool operator()(const QueueRef& a, const QueueRef& b) const { return a == b; }
};

}  // namespace apogee
