#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "base/bytes.h"
#include "protocol/binary_header.h"
#include "protocol/client_version.h"
#include "protocol/command.h"
#include "protocol/json_header.h"
#include "protocol/request_code.h"

namespace apogee {
namespace {

Status Decode(std::string_view header, Command* into) {
  into->Clear();
  return DecodeJsonHeader(header, into);
}

TEST(JsonHeaderTest, TypicalHeaderIsViewedNotCopied) {
  const std::string header =
      R"({"code":310,"extFields":{"a":"PG","b":"T"},"flag":2,"language":"GO","opaque":-7,)"
      R"("remark":"r","serializeTypeCurrentRPC":"JSON","version":317})";
  Command command;
  ASSERT_TRUE(Decode(header, &command).ok());
  EXPECT_EQ(command.code, 310);
  EXPECT_EQ(command.flag, 2);
  EXPECT_EQ(command.language, Language::kGo);
  EXPECT_EQ(command.opaque, -7);
  EXPECT_EQ(command.version, 317);
  EXPECT_EQ(command.remark, "r");
  const std::string_view topic = command.fields.Text("b");
  EXPECT_EQ(topic, "T");
  EXPECT_TRUE(topic.data() > header.data() && topic.data() < header.data() + header.size());
}

TEST(JsonHeaderTest, EscapesAreResolved) {
  Command command;
  ASSERT_TRUE(
      Decode(
          R"({"code":10,"extFields":{"i":"KEYS\u0001k\u0002","q\"":"\\\/\n\t\u00e4\ud83d\ude00\ud83d"}})",
          &command)
          .ok());
  EXPECT_EQ(command.fields.Text("i"), std::string_view("KEYS\x01k\x02"));
  EXPECT_EQ(command.fields.Text("q\""), "\\/\n\t\xC3\xA4\xF0\x9F\x98\x80\xEF\xBF\xBD");
}

TEST(JsonHeaderTest, TakesWhatApacheConverts) {
  Command command;
  ASSERT_TRUE(Decode("/* c */ {'code':\"105\", // x\n 'language':'java','opaque':7,"
                     "'extFields':{'topic':'TBW102','n':5,'f':1.50,'b':true,'x':null,"
                     "'o':{\"a\":[1,{'b':\"}\"}]},'l':[1,2,],},'remark':5,'other':{'a':{}},}  ",
                     &command)
                  .ok());
  EXPECT_EQ(command.code, 105);
  EXPECT_EQ(command.language, Language::kJava);
  EXPECT_EQ(command.remark, "5");
  EXPECT_EQ(command.fields.Text("topic"), "TBW102");
  EXPECT_EQ(command.fields.Text("n"), "5");
  EXPECT_EQ(command.fields.Text("f"), "1.50");
  EXPECT_TRUE(command.fields.Bool("b", false));
  EXPECT_FALSE(command.fields.Find("x").has_value());
  EXPECT_EQ(command.fields.Text("o"), R"({"a":[1,{'b':"}"}]})");
  EXPECT_EQ(command.fields.Text("l"), "[1,2,]");
}

TEST(JsonHeaderTest, LanguageMayBeAnythingButBroken) {
  Command command;
  const std::pair<std::string_view, Language> cases[] = {
      {R"("cpp")", Language::kCpp}, {"9", Language::kGo},     {R"("KLINGON")", Language::kOther},
      {"null", Language::kOther},   {"99", Language::kOther}, {"-1", Language::kOther},
  };
  for (const auto& [text, expected] : cases) {
    ASSERT_TRUE(Decode("{\"language\":" + std::string(text) + "}", &command).ok()) << text;
    EXPECT_EQ(command.language, expected) << text;
  }
  ASSERT_TRUE(Decode("{}", &command).ok());
  EXPECT_EQ(command.code, 0);
  EXPECT_FALSE(command.has_fields);
  ASSERT_TRUE(Decode(R"({"extFields":{}})", &command).ok());
  EXPECT_TRUE(command.has_fields);
  ASSERT_TRUE(Decode(R"({"extFields":null,"code":null})", &command).ok());
  EXPECT_FALSE(command.has_fields);
}

TEST(JsonHeaderTest, RefusesWhatApacheRefuses) {
  const std::string deep = R"({"x":)" + std::string(200, '[') + std::string(200, ']') + "}";
  for (const std::string_view header : {
           std::string_view(""),
           std::string_view("null"),
           std::string_view("[]"),
           std::string_view("5"),
           std::string_view("{not json"),
           std::string_view("{code:105}"),
           std::string_view(R"({"code":105)"),
           std::string_view(R"({"code":105,,"opaque":1})"),
           std::string_view(R"({"code":105}x)"),
           std::string_view(R"({"code":"abc"})"),
           std::string_view(R"({"code":{}})"),
           std::string_view(R"({"code" 105})"),
           std::string_view(R"({"flag":"0"})"),
           std::string_view(R"({"opaque":2147483648})"),
           std::string_view(R"({"opaque":-2147483649})"),
           std::string_view(R"({"opaque":1e300})"),
           std::string_view(R"({"opaque":nan})"),
           std::string_view(R"({"extFields":"x"})"),
           std::string_view(R"({"extFields":["a"]})"),
           std::string_view(R"({"extFields":{topic:"x"}})"),
           std::string_view(R"({"extFields":{"topic":x}})"),
           std::string_view(R"({"extFields":{"topic":"x})"),
           std::string_view(R"({"extFields":{"topic":"\u12"}})"),
           std::string_view(R"({"extFields":{"topic":"\q"}})"),
           std::string_view(R"({"other":{bare:1}})"),
           std::string_view("{\"code\":1}/*"),
           std::string_view("\xEF\xBB\xBF{}"),
           std::string_view(deep),
       }) {
    Command command;
    const Status status = Decode(header, &command);
    ASSERT_FALSE(status.ok()) << header;
    EXPECT_EQ(status.error().code(), ErrorCode::kCorruption);
  }
}

TEST(JsonHeaderTest, WritesStrictCompactJsonInApachesOrder) {
  Command command;
  command.code = 17;
  command.opaque = 5;
  command.flag = kFlagResponse;
  command.version = kOurVersion;
  command.remark = "No topic\n\"x\"";
  command.fields.AddInt("queueId", -3);
  command.fields.AddBool("queueId", true);
  command.fields.Add("s", std::string("a\x01"));
  std::string out;
  AppendJsonHeader(command, &out);
  EXPECT_EQ(
      out,
      R"({"code":17,"extFields":{"queueId":"true","s":"a\u0001"},"flag":1,"language":"JAVA",)"
      R"("opaque":5,"remark":"No topic\n\"x\"","serializeTypeCurrentRPC":"JSON","version":513})");
}

std::string BinaryFrame(std::int16_t code, std::int32_t flag, std::string_view fields) {
  std::string header;
  AppendBigEndian(header, code);
  header.push_back(0);
  AppendBigEndian(header, std::int16_t{-1});
  AppendBigEndian(header, std::int32_t{77});
  AppendBigEndian(header, flag);
  AppendBigEndian(header, std::int32_t{0});
  AppendBigEndian(header, static_cast<std::int32_t>(fields.size()));
  header += fields;
  return header;
}

TEST(BinaryHeaderTest, CutPopCodesAreRestoredInRequestsOnly) {
  Command command;
  ASSERT_TRUE(DecodeBinaryHeader(BinaryFrame(3442, 0, ""), &command).ok());
  EXPECT_EQ(command.code, RequestCode::kPopMessage);
  EXPECT_EQ(command.version, -1);
  EXPECT_FALSE(command.has_fields);
  ASSERT_TRUE(DecodeBinaryHeader(BinaryFrame(3543, 0, ""), &command).ok());
  EXPECT_EQ(command.code, RequestCode::kBatchAckMessage);
  ASSERT_TRUE(DecodeBinaryHeader(BinaryFrame(3442, kFlagResponse, ""), &command).ok());
  EXPECT_EQ(command.code, 3442);

  Command pop;
  pop.code = RequestCode::kPopMessage;
  std::string out;
  AppendBinaryHeader(pop, &out);
  EXPECT_EQ(LoadBigEndian<std::int16_t>(out.data()), 3442);
}

TEST(BinaryHeaderTest, EmptyNamesAndValuesAreAbsent) {
  const std::string fields("\0\1a\0\0\0\0\0\0\0\0\0\1b\0\1c\0\0\0\1d", 22);
  const std::string frame = BinaryFrame(105, 0, fields);
  Command command;
  ASSERT_TRUE(DecodeBinaryHeader(frame, &command).ok());
  EXPECT_EQ(command.fields.size(), 1U);
  EXPECT_EQ(command.fields.Text("c"), "d");
}

TEST(BinaryHeaderTest, BadLengthsAreRefused) {
  Command command;
  const std::string good = BinaryFrame(105, 0, std::string("\0\1c\0\0\0\1d", 8));
  ASSERT_TRUE(DecodeBinaryHeader(good, &command).ok());
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_FALSE(DecodeBinaryHeader(good.substr(0, size), &command).ok()) << size;
  }
  for (const std::string& fields : {std::string("\xFF\xFF"
                                                "c\0\0\0\1d",
                                                8),
                                    std::string("\0\1c\xFF\xFF\xFF\xFF"
                                                "d",
                                                8),
                                    std::string("\0\1c\0\0\0\2d", 8), std::string("\0", 1)}) {
    EXPECT_FALSE(DecodeBinaryHeader(BinaryFrame(105, 0, fields), &command).ok());
  }
  std::string long_fields = BinaryFrame(105, 0, "");
  StoreBigEndian(long_fields.data() + 17, std::int32_t{500});
  EXPECT_FALSE(DecodeBinaryHeader(long_fields, &command).ok());
}

TEST(ClientVersionTest, NamesMatchTheListAndOddNumbersAreTheOldest) {
  const std::pair<std::int32_t, std::string_view> cases[] = {
      {0, "V3_0_0_SNAPSHOT"},   {-1, "V3_0_0_SNAPSHOT"},
      {15, "V3_0_0_FINAL"},     {28, "V3_0_7_SNAPSHOT"},
      {37, "V3_0_11"},          {62, "V3_1_8_SNAPSHOT"},
      {121, "V3_4_9"},          {137, "V3_5_8"},
      {211, "V3_9_9"},          {212, "V4_0_0_SNAPSHOT"},
      {213, "V4_0_0"},          {317, "V4_5_2"},
      {399, "V4_9_3"},          {411, "V4_9_9"},
      {412, "V5_0_0_SNAPSHOT"}, {479, "V5_3_3"},
      {513, "V5_5_0"},          {611, "V5_9_9"},
      {612, "HIGHER_VERSION"},  {0x7FFFFFFF, "HIGHER_VERSION"},
  };
  for (const auto& [number, name] : cases) EXPECT_EQ(ClientVersionName(number), name);
}

TEST(RequestCodeTest, NamesAreFoundByNumber) {
  EXPECT_EQ(RequestCodeName(10), "SEND_MESSAGE");
  EXPECT_EQ(RequestCodeName(200151), "BATCH_ACK_MESSAGE");
  EXPECT_EQ(RequestCodeName(9999), "");
}

}  // namespace
}  // namespace apogee
