#include "base/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace apogee {
namespace {

Json Parsed(std::string_view text) {
  auto json = Json::Parse(text);
  EXPECT_TRUE(json.ok()) << text << ": " << (json.ok() ? "" : json.error().ToString());
  return json.ok() ? *std::move(json) : Json();
}

TEST(JsonTest, StandardDocumentComesBackAsItWas) {
  const std::string text =
      R"({"a":[1,-2,true,false,null],"b":{"c":"d/e","f":1.5},"g":{},"h":[],"i":"\u0001\"\\"})";
  EXPECT_EQ(Parsed(text).Dump(), text);
}

TEST(JsonTest, BareIntegerKeysAreRead) {
  const Json json = Parsed("{0:\"1.1.1.1:10911\",-1:2}");
  EXPECT_EQ(json["0"].ToText(), "1.1.1.1:10911");
  EXPECT_EQ(json["-1"].ToInt(), 2);
}

TEST(JsonTest, ObjectKeysAreKeptAsCompactTextAndWrittenRaw) {
  const Json json =
      Parsed(R"({"offsetTable":{ { "brokerName": "b", "queueId":3, topic:"t"} : {"x":1}}})");
  const std::string key = R"({"brokerName":"b","queueId":3,"topic":"t"})";
  EXPECT_EQ(json["offsetTable"][key]["x"].ToInt(), 1);
  EXPECT_EQ(json.Dump(), R"({"offsetTable":{{"brokerName":"b","queueId":3,"topic":"t"}:{"x":1}}})");
  EXPECT_EQ(Parsed(json.Dump()).Dump(), json.Dump());
}

TEST(JsonTest, EqualObjectKeysAreEqualTexts) {
  EXPECT_EQ(Parsed(R"({{"a":"\u4f60\/\x41"}:1})").object()[0].first,
            Parsed("{{'a':'\xE4\xBD\xA0/A'}:1}").object()[0].first);
}

TEST(JsonTest, RawKeyIsTheCompactText) {
  Json queue;
  queue.Set("brokerName", "b").Set("queueId", 3);
  Json table;
  table.Set(Json::RawKey(queue), 5);
  EXPECT_EQ(table.Dump(), R"({{"brokerName":"b","queueId":3}:5})");
}

TEST(JsonTest, NameThatOnlyLooksLikeAnObjectIsQuoted) {
  for (const char* name : {"{", "{\"a", "{a:1}", "{\"a\":1} ", "{}x"}) {
    Json json;
    json.Set(name, 1);
    EXPECT_EQ(Parsed(json.Dump())[name].ToInt(), 1) << json.Dump();
    EXPECT_TRUE(json.Dump().starts_with("{\"")) << json.Dump();
  }
}

TEST(JsonTest, FastjsonLeniencyIsAccepted) {
  const Json json = Parsed(
      "/* c */ {name:'a\"b', $x_1 : [1,2,], // to the end\n 'q':\"\\x41\\'\\v\\0\", n:5L,}\n");
  EXPECT_EQ(json["name"].ToText(), "a\"b");
  EXPECT_EQ(json["$x_1"].array().size(), 2U);
  EXPECT_EQ(json["q"].ToText(), std::string("A'\v\0", 4));
  EXPECT_EQ(json["n"].ToInt(), 5);
}

TEST(JsonTest, RawControlCharactersAndLoneSurrogatesInStrings) {
  EXPECT_EQ(Parsed("\"a\nb\tc\"").ToText(), "a\nb\tc");
  EXPECT_EQ(Parsed(R"("\ud83d\ude00")").ToText(), "\xF0\x9F\x98\x80");
  EXPECT_EQ(Parsed(R"("\ud83d!")").ToText(), "\xEF\xBF\xBD!");
  EXPECT_EQ(Parsed(R"("\ude00")").ToText(), "\xEF\xBF\xBD");
}

TEST(JsonTest, BrokenInputIsRefusedWithItsPosition) {
  for (const char* text :
       {"",          " ",       "{",    "}",     "[1",         "[1 2]",   "{\"a\"}",
        "{\"a\":}",  "{:1}",    "{,}",  "[,]",   "\"a",        "'a",      "\"\\",
        "\"\\u12\"", "\"\\q\"", "tru",  "truex", "-",          "1.",      "1e",
        "01",        "/",       "/* a", "1 2",   "{\"a\":1}}", "{[1]:2}", "\xEF\xBB\xBF{}",
        "\"\xFF\"",  "{-:1}",   "nul",  "--1",   "+1"}) {
    const auto json = Json::Parse(text);
    ASSERT_FALSE(json.ok()) << text;
    EXPECT_EQ(json.error().code(), ErrorCode::kCorruption) << text;
  }
  EXPECT_THAT(Json::Parse("{\"a\":!}").error().message(), testing::HasSubstr("byte 5"));
}

TEST(JsonTest, DepthIsBounded) {
  const auto nested = [](std::size_t n) { return std::string(n, '[') + std::string(n, ']'); };
  EXPECT_TRUE(Json::Parse(nested(64)).ok());
  EXPECT_FALSE(Json::Parse(nested(65)).ok());
  EXPECT_FALSE(Json::Parse(nested(1'000'000)).ok());
  std::string keys;
  for (int i = 0; i < 1'000'000; ++i) keys += '{';
  EXPECT_FALSE(Json::Parse(keys).ok());
}

TEST(JsonTest, NumbersOfEverySize) {
  EXPECT_EQ(Parsed("9223372036854775807").ToInt(), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(Parsed("-9223372036854775808").ToInt(), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(Parsed("9223372036854775808").ToInt(7), 7);
  EXPECT_EQ(Parsed("123456789012345678901234567890").ToDouble(), 123456789012345678901234567890.0);
  EXPECT_EQ(Parsed("1.5e3").ToInt(), 1500);
}

TEST(JsonTest, ConversionsAreLenient) {
  EXPECT_EQ(Json("123").ToInt(), 123);
  EXPECT_EQ(Json(" 123 ").ToInt(), 123);
  EXPECT_EQ(Json("1.9").ToInt(), 1);
  EXPECT_EQ(Json("x").ToInt(4), 4);
  EXPECT_EQ(Json("").ToInt(4), 4);
  EXPECT_EQ(Json().ToInt(4), 4);
  EXPECT_EQ(Json(1e300).ToInt(4), 4);
  EXPECT_EQ(Json("2.5").ToDouble(), 2.5);
  EXPECT_EQ(Json(3).ToDouble(), 3.0);
  EXPECT_TRUE(Json("TRUE").ToBool());
  EXPECT_FALSE(Json("false").ToBool(true));
  EXPECT_TRUE(Json(1).ToBool());
  EXPECT_TRUE(Json("?").ToBool(true));
  EXPECT_EQ(Json(12).ToText(), "12");
  EXPECT_EQ(Json(true).ToText(), "true");
  EXPECT_EQ(Json().ToText("f"), "f");
  EXPECT_EQ(Json(Json::Array{}).ToText("f"), "f");
}

TEST(JsonTest, MembersOfNoObjectAreNull) {
  EXPECT_TRUE(Json(3)["a"].is_null());
  EXPECT_TRUE(Json()["a"]["b"].is_null());
  EXPECT_TRUE(Json("x").array().empty());
  EXPECT_FALSE(Json().Has("a"));
  EXPECT_TRUE(Parsed("{a:null}").Has("a"));
}

TEST(JsonTest, LastOfEqualNamesCounts) {
  EXPECT_EQ(Parsed("{a:1,b:2,a:3}")["a"].ToInt(), 3);
}

TEST(JsonTest, SetReplacesAndAppendGrows) {
  Json json;
  json.Set("a", 1).Set("b", "x").Set("a", 2);
  Json list;
  list.Append(1);
  list.Append(Json());
  json.Set("l", list);
  EXPECT_EQ(json.Dump(), R"({"a":2,"b":"x","l":[1,null]})");
}

TEST(JsonTest, DoublesLookLikeJavas) {
  const auto text = [](double value) { return Json(value).Dump(); };
  EXPECT_EQ(text(0), "0.0");
  EXPECT_EQ(text(1), "1.0");
  EXPECT_EQ(text(-2.5), "-2.5");
  EXPECT_EQ(text(0.001), "0.001");
  EXPECT_EQ(text(0.0001), "1.0E-4");
  EXPECT_EQ(text(9999999), "9999999.0");
  EXPECT_EQ(text(1e7), "1.0E7");
  EXPECT_EQ(text(1.25e100), "1.25E100");
  EXPECT_EQ(text(std::numeric_limits<double>::infinity()), "null");
  EXPECT_EQ(text(std::numeric_limits<double>::quiet_NaN()), "null");
}

TEST(JsonTest, StringsAreEscaped) {
  EXPECT_EQ(Json("a/\"\\\b\f\n\r\t\x01\x1f\x7f").Dump(),
            "\"a/\\\"\\\\\\b\\f\\n\\r\\t\\u0001\\u001F\x7f\"");
  EXPECT_EQ(Json("\xE4\xBD\xA0").Dump(), "\"\xE4\xBD\xA0\"");
  EXPECT_EQ(Json("\xFFx").Dump(), "\"\xEF\xBF\xBDx\"");
  EXPECT_EQ(Json("\xE4\xBD\xA0\xF0\x9F\x98\x80").Dump(Json::Style::kCompactAscii),
            R"("\u4F60\uD83D\uDE00")");
}

// The text of a delayOffset.json of RocketMQ 5.5.0, but for the quotes around integer names.
TEST(JsonTest, PrettyStyleIsThatOfConfigFiles) {
  Json version;
  version.Set("counter", 10).Set("stateVersion", 0);
  Json table;
  table.Set("1", 4).Set("2", 1);
  Json json;
  json.Set("dataVersion", version).Set("offsetTable", table);
  EXPECT_EQ(json.Dump(Json::Style::kPretty),
            "{\n\t\"dataVersion\":{\n\t\t\"counter\":10,\n\t\t\"stateVersion\":0\n\t},\n"
            "\t\"offsetTable\":{\n\t\t\"1\":4,\n\t\t\"2\":1\n\t}\n}");
  Json empty;
  empty.Set("list", Json::Array{}).Set("map", Json::Object{}).Set("one", Json::Array{Json(1)});
  EXPECT_EQ(empty.Dump(Json::Style::kPretty),
            "{\n\t\"list\":[],\n\t\"map\":{},\n\t\"one\":[\n\t\t1\n\t]\n}");
}

}  // namespace
}  // namespace apogee
