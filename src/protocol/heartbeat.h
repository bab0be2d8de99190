// What a client tells a broker of itself: the bodies of HEART_BEAT and CHECK_CLIENT_CONFIG
// (remoting reference §4.4).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "message/subscription.h"

namespace apogee {

struct ConsumerData {
  // In the order of RocketMQ's constants, whose numbers some clients send.
  enum class Type { kActively, kPassively, kPop };
  enum class Model { kBroadcasting, kClustering };
  enum class From { kLast, kLastAndMinAtFirst, kMin, kMax, kFirst, kTimestamp };

  std::string group;
  // Nothing: not given, or a name that is not known.
  std::optional<Type> type;
  std::optional<Model> model;
  std::optional<From> from;
  std::vector<Subscription> subscriptions;
  bool unit_mode = false;
};

struct HeartbeatData {
  std::string client_id;
  std::vector<ConsumerData> consumers;
  std::vector<std::string> producer_groups;
  std::int32_t fingerprint = 0;  // heartbeatFingerprint; 0: the plain form.
  bool without_sub = false;

  // kInvalidArgument, as RocketMQ's brokers refuse it: no body, no JSON object, groups but no
  // clientID, a set that is null (a missing one is empty), a group without a name.
  static Result<HeartbeatData> Parse(std::string_view body);
  std::string Encode() const;
};

struct CheckClientData {
  std::string client_id;
  std::string group;
  std::string name_space;
  std::optional<Subscription> subscription;

  static Result<CheckClientData> Parse(std::string_view body);
};

}  // namespace apogee
