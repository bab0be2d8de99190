// A name server's handler without sockets, threads or time, for the room's tests.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/crc32.h"
#include "env/fake/manual_clock.h"
#include "env/fake/memory_file_system.h"
#include "nameserver/handler.h"
#include "protocol/register_broker.h"
#include "protocol/request_code.h"
#include "protocol/response_code.h"

namespace apogee {

class FakeChannel final : public Channel {
 public:
  explicit FakeChannel(std::uint64_t id) : id_(id) {}
  const std::string& peer() const override { return peer_; }
  const std::string& local() const override { return peer_; }
  std::uint64_t id() const override { return id_; }
  EventLoop& loop() override { CheckFailed(__FILE__, __LINE__, "no loop here"); }
  Language language() const override { return Language::kJava; }
  std::int32_t version() const override { return kOurVersion; }
  HeaderForm form() const override { return HeaderForm::kJson; }
  void SendOneway(Command, std::string) override {}
  void Close() override { closed_ = true; }
  bool closed() const override { return closed_; }

 private:
  const std::uint64_t id_;
  const std::string peer_ = "127.0.0.1:5";
  bool closed_ = false;
};

class ReplyBox final : public Responder::Target {
 public:
  void Send(std::int32_t, HeaderForm, std::size_t, bool, Reply&& reply) override {
    reply_ = std::move(reply);
  }
  std::optional<Reply> reply_;
};

inline TopicConfig Topic(std::string name, std::int32_t queues = 4) {
  TopicConfig topic;
  topic.name = std::move(name);
  topic.read_queues = topic.write_queues = queues;
  return topic;
}

using FieldMap = std::map<std::string, std::string>;

class HandlerFixture : public testing::Test {
 protected:
  Reply Call(std::int32_t code, const FieldMap& fields = {}, const std::string& body = {},
             std::int32_t version = kOurVersion, std::shared_ptr<FakeChannel> channel = nullptr) {
    Command command;
    command.code = code;
    command.version = version;
    command.body = body;
    for (const auto& [name, value] : fields) command.fields.AddView(name, value);
    std::shared_ptr<Channel> from = channel ? channel : channel_;
    auto box = std::make_shared<ReplyBox>();
    handler_.Handle({command, from, 0}, Responder(box, command, 0));
    if (wanted_save_) handler_.Save();
    wanted_save_ = false;
    AP_CHECK(box->reply_.has_value());
    return std::move(*box->reply_);
  }

  struct Registration {
    std::string name = "a";
    std::string addr = "1.1.1.1:1";
    std::int64_t id = 0;
    std::vector<TopicConfig> topics;
    DataVersion version{.state_version = 0, .timestamp_ms = 1, .counter = 1};
    std::optional<bool> acting = false;
    std::shared_ptr<FakeChannel> channel = nullptr;
    std::string zone = "";
    std::optional<std::int64_t> timeout_ms = std::nullopt;
    std::string cluster = "C";
  };
  Reply Register(const Registration& r) {
    RegisterBrokerHeader header;
    header.cluster = r.cluster;
    header.broker_name = r.name;
    header.broker_addr = r.addr;
    header.ha_server_addr = r.addr + "2";
    header.broker_id = r.id;
    header.enable_acting_master = r.acting;
    header.zone_name = r.zone;
    header.heartbeat_timeout_ms = r.timeout_ms;
    RegisterBrokerBody body;
    body.data_version = r.version;
    body.topics = r.topics;
    const std::string text = body.Encode();
    header.body_crc32 = BodyCrc(text);
    Fields fields;
    header.AddTo(&fields);
    FieldMap map;
    for (const auto& [name, value] : fields) map[std::string(name)] = std::string(value);
    return Call(RequestCode::kRegisterBroker, map, text, kOurVersion, r.channel);
  }

  std::optional<TopicRouteData> Route(const std::string& topic, FieldMap fields = {}) {
    fields["topic"] = topic;
    const Reply reply = Call(RequestCode::kGetRouteinfoByTopic, fields);
    if (reply.code != ResponseCode::kSuccess) return std::nullopt;
    return TopicRouteData::Parse(reply.body).value();
  }
  std::vector<std::string> RouteBrokers(const std::string& topic) {
    std::vector<std::string> names;
    if (const auto route = Route(topic)) {
      for (const QueueData& queue : route->queues) names.push_back(queue.broker_name);
    }
    return names;
  }
  void Pass(std::chrono::milliseconds time) {
    clock_.Advance(time);
    handler_.Scan();
  }

  ManualClock clock_;
  MemoryFileSystem fs_;
  NameServerOptions options_{.kv_config_path = "/ns/kvConfig.json",
                             .config_store_path = "/ns/namesrv.properties"};
  NameServerConfig config_{options_, fs_};
  KvConfig kv_{"/ns/kvConfig.json", fs_};
  RouteTable routes_{clock_};
  std::vector<MinIdChange> told_;
  bool wanted_save_ = false;
  NameServerHandler handler_{config_,
                             kv_,
                             routes_,
                             clock_,
                             [this](const MinIdChange& change) { told_.push_back(change); },
                             [this] { wanted_save_ = true; }};
  std::shared_ptr<FakeChannel> channel_ = std::make_shared<FakeChannel>(1);
};

}  // namespace apogee
