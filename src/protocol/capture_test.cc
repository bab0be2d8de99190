// Everything that stock clients and servers were seen to send decodes, and goes out again with the
// same fields.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "base/crc32.h"
#include "base/json.h"
#include "protocol/cluster_info.h"
#include "protocol/command.h"
#include "protocol/config_tables.h"
#include "protocol/heartbeat.h"
#include "protocol/json_header.h"
#include "protocol/lock_batch.h"
#include "protocol/name_lists.h"
#include "protocol/register_broker.h"
#include "protocol/request_code.h"
#include "protocol/topic_route.h"
#include "protocol/topic_stats.h"

namespace apogee {
namespace {

std::vector<Json> ReadLines(const std::string& name) {
  const std::string here = __FILE__;
  std::ifstream file(here.substr(0, here.rfind('/')) + "/testdata/" + name);
  std::vector<Json> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(Json::Parse(line).value());
  return lines;
}

std::string FromBase64(const std::string& text) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  unsigned bits = 0;
  int count = 0;
  for (const char c : text) {
    const std::size_t digit = kDigits.find(c);
    if (digit == std::string_view::npos) break;
    bits = bits << 6 | static_cast<unsigned>(digit);
    count += 6;
    if (count >= 8) out.push_back(static_cast<char>(bits >> (count -= 8)));
  }
  return out;
}

using FieldMap = std::map<std::string, std::string>;

FieldMap ToMap(const Fields& fields) {
  FieldMap map;
  for (const auto& [name, value] : fields) map[std::string(name)] = std::string(value);
  return map;
}

// The header text that the captured command had, but for the order of its members.
std::string HeaderText(const Json& line) {
  Json header;
  for (const char* name :
       {"code", "language", "version", "opaque", "flag", "remark", "extFields"}) {
    if (line.Has(name)) header.Set(name, line[name]);
  }
  return header.Dump();
}

Command RoundTrip(const Command& command, HeaderForm form, std::string* frame) {
  Command copy;
  copy.code = command.code;
  copy.version = command.version;
  copy.language = command.language;
  copy.opaque = command.opaque;
  copy.flag = command.flag;
  copy.remark = command.remark;
  copy.has_fields = command.has_fields;
  copy.form = form;
  for (const auto& [name, value] : command.fields) copy.fields.AddView(name, value);
  frame->clear();
  EncodeCommand(copy, frame);
  Command back;
  EXPECT_TRUE(DecodeCommand(*frame, &back).ok());
  return back;
}

TEST(CaptureTest, EveryHeaderDecodesAndGoesOutWithTheSameFieldsInBothForms) {
  const std::vector<Json> lines = ReadLines("headers.jsonl");
  ASSERT_GT(lines.size(), 400U);
  for (const Json& line : lines) {
    const std::string header = HeaderText(line);
    SCOPED_TRACE(header);
    Command command;
    const Status decoded = DecodeJsonHeader(header, &command);
    if (line["refused"].ToBool()) {
      EXPECT_FALSE(decoded.ok());
      continue;
    }
    ASSERT_TRUE(decoded.ok()) << decoded.error().message();
    FieldMap expected;
    for (const auto& [name, value] : line["extFields"].object()) {
      if (!value.is_null()) expected[name] = value.is_object() ? value.Dump() : value.ToText();
    }
    EXPECT_EQ(ToMap(command.fields), expected);
    EXPECT_EQ(command.code, line["code"].ToInt());
    EXPECT_EQ(command.remark, line["remark"].ToText());
    EXPECT_EQ(command.has_fields, line["extFields"].is_object());

    std::string frame;
    const Command json = RoundTrip(command, HeaderForm::kJson, &frame);
    EXPECT_EQ(ToMap(json.fields), expected);
    EXPECT_EQ(json.code, command.code);
    EXPECT_EQ(json.opaque, command.opaque);
    EXPECT_EQ(json.version, command.version);
    EXPECT_EQ(json.remark, command.remark);
    EXPECT_EQ(json.has_fields, command.has_fields);

    const Command binary = RoundTrip(command, HeaderForm::kBinary, &frame);
    std::erase_if(expected, [](const auto& f) { return f.first.empty() || f.second.empty(); });
    EXPECT_EQ(ToMap(binary.fields), expected);
    EXPECT_EQ(binary.flag, command.flag);
    EXPECT_EQ(binary.language, command.language);
    EXPECT_EQ(binary.remark, command.remark);
  }
}

// The paths of all members, elements of an array counting as one.
void CollectPaths(const Json& json, const std::string& path, std::set<std::string>& into) {
  for (const Json& item : json.array()) CollectPaths(item, path + "[]", into);
  for (const auto& [name, value] : json.object()) {
    into.insert(path + "." + name);
    CollectPaths(value, path + "." + name, into);
  }
}
std::set<std::string> Paths(std::string_view body) {
  std::set<std::string> paths;
  CollectPaths(Json::Parse(body).value(), "", paths);
  return paths;
}

template <typename Body>
std::string Again(std::string_view text) {
  const auto body = Body::Parse(text);
  if (!body.ok()) return "";
  return body->Encode();
}

void ExpectCrc(const Json& line, std::string_view body) {
  const std::int64_t crc = line["extFields"]["bodyCrc32"].ToInt();
  if (crc != 0) {
    EXPECT_EQ(BodyCrc(body), crc);
  }
}

std::string RouteAgain(std::string_view text) {
  const auto route = TopicRouteData::Parse(text);
  if (!route.ok()) return "";
  const bool bare = text.find("\"brokerAddrs\":{0") != std::string_view::npos;
  return route->Encode(bare ? JsonKeys::kBare : JsonKeys::kQuoted);
}

TEST(CaptureTest, EveryBodyDecodesAndGoesOutWithTheSameMembers) {
  std::map<std::int64_t, int> checked;
  for (const Json& line : ReadLines("bodies.jsonl")) {
    if (line["bodyBase64"].is_string()) continue;
    const std::string body = line["body"].ToText();
    const std::int64_t code = line["code"].ToInt();
    SCOPED_TRACE(std::to_string(code) + " " + body);
    std::string again;
    if (line["side"].ToText() == "request") {
      switch (code) {
        case RequestCode::kHeartBeat:
          again = Again<HeartbeatData>(body);
          break;
        case RequestCode::kLockBatchMq:
        case RequestCode::kUnlockBatchMq:
          again = Again<LockBatchRequest>(body);
          break;
        case RequestCode::kRegisterBroker: {
          const auto decoded =
              DecodeRegisterBrokerBody(body, static_cast<std::int32_t>(line["version"].ToInt()));
          ASSERT_TRUE(decoded.ok());
          again = decoded->Encode();
          ExpectCrc(line, body);
          break;
        }
        default:
          continue;
      }
    } else {
      switch (code) {
        case RequestCode::kGetRouteinfoByTopic:
          again = RouteAgain(body);
          // 5.x's down to the byte: clients take it apart by hand.
          if (body.find("enableActingMaster") != std::string::npos) {
            EXPECT_EQ(again, body);
          }
          break;
        case RequestCode::kGetBrokerClusterInfo:
          again = Again<ClusterInfo>(body);
          break;
        case RequestCode::kGetBrokerMemberGroup:
          again = Again<BrokerMemberGroup>(body);
          break;
        case RequestCode::kLockBatchMq:
          again = EncodeLockBatchResponse(ParseLockBatchResponse(body).value());
          break;
        case RequestCode::kGetConsumerListByGroup:
          again = EncodeConsumerIdList(ParseConsumerIdList(body).value());
          break;
        case RequestCode::kGetTopicStatsInfo:
          again = Again<TopicStats>(body);
          break;
        case RequestCode::kGetAllTopicConfig:
          again = Again<TopicConfigTable>(body);
          break;
        case RequestCode::kGetAllSubscriptiongroupConfig:
          again = Again<GroupConfigTable>(body);
          break;
        case RequestCode::kGetAllTopicListFromNameserver:
        case RequestCode::kGetSystemTopicListFromNs:
        case RequestCode::kGetSystemTopicListFromBroker:
          again = Again<TopicList>(body);
          break;
        case RequestCode::kRegisterBroker:
        case RequestCode::kGetKvlistByNamespace:
        case RequestCode::kGetBrokerRuntimeInfo:
          again = Again<KvTable>(body);
          break;
        default:
          continue;
      }
    }
    ASSERT_NE(again, "");
    EXPECT_THAT(Paths(again), testing::IsSupersetOf(Paths(body)));
    ++checked[code];
  }
  EXPECT_GE(checked.size(), 14U) << "codes with a body in the captures";
}

TEST(CaptureTest, CompressedRegistrationsOfBothVersionsUnpack) {
  int seen = 0;
  for (const Json& line : ReadLines("bodies.jsonl")) {
    if (!line["bodyBase64"].is_string() || line["code"].ToInt() != RequestCode::kRegisterBroker) {
      continue;
    }
    const std::string body = FromBase64(line["bodyBase64"].ToText());
    ExpectCrc(line, body);
    const auto decoded =
        DecodeRegisterBrokerBody(body, static_cast<std::int32_t>(line["version"].ToInt()));
    ASSERT_TRUE(decoded.ok()) << decoded.error().message();
    EXPECT_FALSE(decoded->topics.empty());
    for (const TopicConfig& topic : decoded->topics) {
      EXPECT_FALSE(topic.name.empty());
      EXPECT_GT(topic.perm, 0);
    }
    EXPECT_GT(decoded->data_version.timestamp_ms, 0);
    ++seen;
  }
  EXPECT_GE(seen, 2);
}

}  // namespace
}  // namespace apogee
