#include "load/targets.h"

#include <future>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "load/blocking_call.h"
#include "message/topic_config.h"
#include "net/tcp.h"
#include "protocol/cluster_info.h"
#include "protocol/request_code.h"
#include "protocol/response_code.h"
#include "protocol/topic_route.h"

namespace apogee {
namespace {

constexpr int kRoutePolls = 200;
constexpr std::chrono::milliseconds kRoutePoll{50};

bool IsLoopback(const std::string& address) {
  const auto parsed = ParseHostPort(address);
  return parsed.ok() &&
         (parsed->host.starts_with("127.") || parsed->host == "::1" || parsed->host == "localhost");
}

Status CheckAllowed(const BenchOptions& options, const std::string& address) {
  if (options.allow_remote || IsLoopback(address)) return Ok();
  return Fail(ErrorCode::kPermissionDenied,
              address + " is not on the loopback network; --allow-remote allows it");
}

class Preparation {
 public:
  Preparation(const BenchOptions& options, EventLoop& loop)
      : options_(options), loop_(loop), caller_(loop) {}

  Result<std::vector<TargetBroker>> Run() {
    AP_RETURN_IF_ERROR(CheckAllowed(options_, options_.name_server));
    std::map<std::string, TargetBroker> brokers;
    for (const std::string& topic : TopicNames(options_)) {
      AP_TRY(const TopicRouteData route, RouteOrCreate(topic));
      for (const BrokerData& broker : route.brokers) {
        const auto master = broker.addrs.find(0);
        if (master == broker.addrs.end()) continue;
        TargetBroker& target = brokers[broker.broker_name];
        target.name = broker.broker_name;
        target.address = master->second;
      }
      for (const QueueData& queue : route.queues) {
        const auto target = brokers.find(queue.broker_name);
        if (target == brokers.end() || (queue.perm & kPermWrite) == 0) continue;
        for (std::int32_t id = 0; id < queue.write_queues; ++id) {
          target->second.queues.push_back({topic, id});
        }
      }
    }
    std::vector<TargetBroker> targets;
    for (auto& [name, broker] : brokers) {
      AP_RETURN_IF_ERROR(CheckAllowed(options_, broker.address));
      if (!broker.queues.empty()) targets.push_back(std::move(broker));
    }
    if (targets.empty()) {
      return Fail(ErrorCode::kNotFound, "no broker has a writable queue of the topics asked for");
    }
    return targets;
  }

 private:
  Result<TopicRouteData> RouteOrCreate(const std::string& topic) {
    AP_TRY(auto found, Route(topic));
    if (found.has_value()) return *std::move(found);
    AP_RETURN_IF_ERROR(Create(topic));
    for (int poll = 0; poll < kRoutePolls; ++poll) {
      AP_TRY(found, Route(topic));
      if (found.has_value()) return *std::move(found);
      std::promise<void> passed;
      loop_.RunAfter(kRoutePoll, [&passed] { passed.set_value(); });
      passed.get_future().wait();
    }
    return Fail(ErrorCode::kTimeout, "topic " + topic + " was created, but no route appeared");
  }

  // Nothing when the topic has no route.
  Result<std::optional<TopicRouteData>> Route(const std::string& topic) {
    Command command;
    command.code = RequestCode::kGetRouteinfoByTopic;
    command.fields.AddView("topic", topic);
    command.fields.AddBool("acceptStandardJsonOnly", true);
    AP_TRY(const auto answer, caller_.Call(options_.name_server, std::move(command), {}));
    if (answer->command.code == ResponseCode::kTopicNotExist) return std::nullopt;
    AP_RETURN_IF_ERROR(ExpectSuccess(*answer, "asking for the route of " + topic));
    AP_TRY(TopicRouteData route, TopicRouteData::Parse(answer->command.body));
    return std::optional<TopicRouteData>(std::move(route));
  }

  Status Create(const std::string& topic) {
    Command ask;
    ask.code = RequestCode::kGetBrokerClusterInfo;
    AP_TRY(const auto answer, caller_.Call(options_.name_server, std::move(ask), {}));
    AP_RETURN_IF_ERROR(ExpectSuccess(*answer, "asking for the cluster"));
    AP_TRY(const ClusterInfo cluster, ClusterInfo::Parse(answer->command.body));
    for (const auto& [name, broker] : cluster.brokers) {
      const auto master = broker.addrs.find(0);
      if (master == broker.addrs.end()) continue;
      AP_RETURN_IF_ERROR(CheckAllowed(options_, master->second));
      Command create;
      create.code = RequestCode::kUpdateAndCreateTopic;
      create.fields.AddView("topic", topic);
      create.fields.AddView("defaultTopic", "TBW102");
      create.fields.AddInt("readQueueNums", options_.queues);
      create.fields.AddInt("writeQueueNums", options_.queues);
      create.fields.AddInt("perm", kPermRead | kPermWrite);
      create.fields.AddView("topicFilterType", "SINGLE_TAG");
      create.fields.AddInt("topicSysFlag", 0);
      create.fields.AddBool("order", false);
      AP_TRY(const auto created, caller_.Call(master->second, std::move(create), {}));
      AP_RETURN_IF_ERROR(ExpectSuccess(*created, "creating " + topic + " on " + name));
    }
    return Ok();
  }

  const BenchOptions& options_;
  EventLoop& loop_;
  BlockingCaller caller_;
};

}  // namespace

std::vector<std::string> TopicNames(const BenchOptions& options) {
  if (options.topics <= 1) return {options.topic};
  std::vector<std::string> names;
  for (int i = 0; i < options.topics; ++i) {
    names.push_back(options.topic + "-" + std::to_string(i));
  }
  return names;
}

Result<std::vector<TargetBroker>> PrepareTargets(const BenchOptions& options, EventLoop& loop) {
  return Preparation(options, loop).Run();
}

}  // namespace apogee
