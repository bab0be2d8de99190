#include "message/record.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "base/bytes.h"
#include "message/properties.h"
#include "message/sys_flag.h"

namespace apogee {
namespace {

std::string Unhex(std::string_view hex) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
  }
  return bytes;
}

// Out of a commit log that RocketMQ 5.5.0 wrote; a message sent in a batch.
const std::string kGoldenV1 = Unhex(
    "000000cfdaa320a77e547ed600000000000000000000000000000001000000000001012500000000000001a229"
    "825aa87f0000010000eb20000001a229825aae7f00000100009b820000000000000000000000000000000b6275"
    "6c6b20626f6479203109546f70696342756c6b00604b4559530162756c6b2d3102554e49515f4b455901464430"
    "303030303030303030303030303030303030303030303030303030303231463145344530453246324139353141"
    "373239363030364502574149540174727565025441475301543102");

// Likewise; a retry record whose topic of 178 bytes needs version 2.
const std::string kGoldenV2 = Unhex(
    "0000021ddaa320ab3b198cd9000000000000000000000000000000000000000000108b4400000000000001a229"
    "82862d7f00000100009b82000001a229829d947f00000100009b8200000001000000000000000000000005706f"
    "70203000b22552455452592547726f7570506f7067676767676767676767676767676767676767676767676767"
    "676767676767676767676767676767676767676767676767676767676767676767676767675f546f706963506f"
    "707474747474747474747474747474747474747474747474747474747474747474747474747474747474747474"
    "747474747474747474747474747474747474747474747474747474747474747474747474747474747474747474"
    "747474010a4f524947494e5f47524f55500147726f7570506f7067676767676767676767676767676767676767"
    "676767676767676767676767676767676767676767676767676767676767676767676767676767676767670254"
    "524143455f4f4e0174727565024d53475f524547494f4e0144656661756c74526567696f6e024b45595301706f"
    "702d3002554e49515f4b4559014644303030303030303030303030303030303030303030303030303030303032"
    "31463145344530453246324139353141394532443041373802434c555354455201476f6c64656e436c75737465"
    "72023153545f504f505f54494d4501313739353939323735303536340257414954017472756502544147530150"
    "02");

RecordFields FieldsOf(const RecordView& view) {
  RecordFields fields;
  fields.topic = view.topic;
  fields.queue_id = view.queue_id;
  fields.flag = view.flag;
  fields.sys_flag = view.sys_flag;
  fields.born_time_ms = view.born_time_ms;
  fields.born_host = view.born_host;
  fields.store_host = view.store_host;
  fields.reconsume_times = view.reconsume_times;
  fields.prepared_transaction_offset = view.prepared_transaction_offset;
  fields.body = view.body;
  fields.properties = view.properties;
  return fields;
}

std::string Encoded(const RecordFields& fields, std::int64_t queue_offset = 7,
                    std::int64_t log_offset = 11, std::int64_t store_time_ms = 13) {
  const auto size = EncodedRecordBytes(fields);
  EXPECT_TRUE(size.ok());
  std::string bytes(static_cast<std::size_t>(*size), '\xAA');
  EncodeRecord(fields, QueueOffset(queue_offset), LogOffset(log_offset), store_time_ms,
               bytes.data());
  return bytes;
}

RecordFields SomeFields() {
  RecordFields fields;
  fields.topic = "orders";
  fields.queue_id = 3;
  fields.flag = -5;
  fields.sys_flag = kSysFlagTransactionCommit;
  fields.born_time_ms = 1795992723942;
  fields.born_host = *Host::Parse("10.1.2.3:60188");
  fields.store_host = *Host::Parse("127.0.0.1:10911");
  fields.reconsume_times = 2;
  fields.prepared_transaction_offset = 4711;
  fields.body = "the body";
  fields.properties = "KEYS\x01k\x02";
  return fields;
}

TEST(RecordTest, GoldenVersion1IsRead) {
  const auto view = DecodeRecord(kGoldenV1, CrcCheck::kVerify);
  ASSERT_TRUE(view.ok()) << view.error().ToString();
  EXPECT_EQ(view->bytes.size(), 207U);
  EXPECT_EQ(view->magic, kRecordMagicV1);
  EXPECT_EQ(view->queue_id, 0);
  EXPECT_EQ(view->flag, 0);
  EXPECT_EQ(view->queue_offset, QueueOffset(1));
  EXPECT_EQ(view->log_offset, LogOffset(65829));
  EXPECT_EQ(view->born_host.ToString(), "127.0.0.1:60192");
  EXPECT_EQ(view->store_host.ToString(), "127.0.0.1:39810");
  EXPECT_EQ(view->store_time_ms, 1795992738478);
  EXPECT_EQ(view->body, "bulk body 1");
  EXPECT_EQ(view->topic, "TopicBulk");
  EXPECT_EQ(FindProperty(view->properties, property::kKeys), "bulk-1");
  EXPECT_EQ(FindProperty(view->properties, property::kTags), "T1");
}

TEST(RecordTest, GoldenVersion2IsRead) {
  const auto view = DecodeRecord(kGoldenV2, CrcCheck::kVerify);
  ASSERT_TRUE(view.ok()) << view.error().ToString();
  EXPECT_EQ(view->magic, kRecordMagicV2);
  EXPECT_EQ(view->topic.size(), 178U);
  EXPECT_EQ(view->reconsume_times, 1);
  EXPECT_EQ(FindProperty(view->properties, "ORIGIN_GROUP")->size(), 70U);
}

TEST(RecordTest, EncoderGivesTheGoldenBytes) {
  for (const std::string& golden : {kGoldenV1, kGoldenV2}) {
    const auto view = DecodeRecord(golden, CrcCheck::kVerify);
    ASSERT_TRUE(view.ok());
    EXPECT_EQ(Encoded(FieldsOf(*view), view->queue_offset.value(), view->log_offset.value(),
                      view->store_time_ms),
              golden);
  }
}

void ExpectRoundTrip(const RecordFields& fields, std::uint32_t magic) {
  const std::string bytes = Encoded(fields);
  const std::string stream = bytes + "what follows";
  const auto view = DecodeRecord(stream, CrcCheck::kVerify);
  ASSERT_TRUE(view.ok()) << view.error().ToString();
  EXPECT_EQ(view->bytes.size(), bytes.size());
  EXPECT_EQ(view->magic, magic);
  EXPECT_EQ(view->queue_id, fields.queue_id);
  EXPECT_EQ(view->flag, fields.flag);
  EXPECT_EQ(view->queue_offset, QueueOffset(7));
  EXPECT_EQ(view->log_offset, LogOffset(11));
  EXPECT_EQ(view->store_time_ms, 13);
  EXPECT_EQ(view->sys_flag & ~(kSysFlagBornHostV6 | kSysFlagStoreHostV6), fields.sys_flag);
  EXPECT_EQ(view->born_time_ms, fields.born_time_ms);
  EXPECT_EQ(view->born_host, fields.born_host);
  EXPECT_EQ(view->store_host, fields.store_host);
  EXPECT_EQ(view->reconsume_times, fields.reconsume_times);
  EXPECT_EQ(view->prepared_transaction_offset, fields.prepared_transaction_offset);
  EXPECT_EQ(view->body, fields.body);
  EXPECT_EQ(view->topic, fields.topic);
  EXPECT_EQ(view->properties, fields.properties);
  EXPECT_EQ(LoadBigEndian<std::int64_t>(bytes.data() + kRecordQueueOffsetAt), 7);
  EXPECT_EQ(LoadBigEndian<std::int64_t>(bytes.data() + kRecordLogOffsetAt), 11);
}

TEST(RecordTest, RoundTripVersion1) {
  ExpectRoundTrip(SomeFields(), kRecordMagicV1);
}

TEST(RecordTest, VersionFollowsTheTopicLength) {
  RecordFields fields = SomeFields();
  const std::string longest(255, 't');
  fields.topic = std::string_view(longest).substr(0, 127);
  ExpectRoundTrip(fields, kRecordMagicV1);
  fields.topic = std::string_view(longest).substr(0, 128);
  ExpectRoundTrip(fields, kRecordMagicV2);
  fields.topic = longest;
  ExpectRoundTrip(fields, kRecordMagicV2);
  const std::string too_long(256, 't');
  fields.topic = too_long;
  EXPECT_EQ(EncodedRecordBytes(fields).error().code(), ErrorCode::kInvalidArgument);
}

TEST(RecordTest, RoundTripWithIpv6Hosts) {
  RecordFields fields = SomeFields();
  fields.born_host = *Host::Parse("[fd00::1]:1");
  ExpectRoundTrip(fields, kRecordMagicV1);
  fields.store_host = *Host::Parse("[::1]:65535");
  ExpectRoundTrip(fields, kRecordMagicV1);
  fields.born_host = *Host::Parse("1.2.3.4:5");
  fields.sys_flag = 0;
  ExpectRoundTrip(fields, kRecordMagicV1);
}

TEST(RecordTest, HostBitsOfTheSenderAreOverruled) {
  RecordFields fields = SomeFields();
  fields.sys_flag |= kSysFlagBornHostV6 | kSysFlagStoreHostV6;
  const std::string bytes = Encoded(fields);
  const auto view = DecodeRecord(bytes, CrcCheck::kVerify);
  ASSERT_TRUE(view.ok());
  EXPECT_FALSE(view->born_host.v6);
  EXPECT_FALSE(view->store_host.v6);
}

TEST(RecordTest, EmptyBodyAndNoPropertiesAreFine) {
  RecordFields fields = SomeFields();
  fields.body = {};
  fields.properties = {};
  ExpectRoundTrip(fields, kRecordMagicV1);
}

TEST(RecordTest, AdditionsDoNotGrowIntoAnUnendedLastValue) {
  RecordFields fields = SomeFields();
  fields.properties = "TAGS\x01TagA";
  fields.more_properties =
      "CLUSTER\x01"
      "c\x02";
  const std::string bytes = Encoded(fields);
  const auto view = DecodeRecord(bytes, CrcCheck::kVerify);
  ASSERT_TRUE(view.ok());
  EXPECT_EQ(view->properties,
            "TAGS\x01TagA\x02"
            "CLUSTER\x01"
            "c\x02");
}

TEST(RecordTest, PropertiesMayHave32767BytesWithWhatIsAdded) {
  RecordFields fields = SomeFields();
  std::string properties(32767, 'p');
  fields.properties = properties;
  ExpectRoundTrip(fields, kRecordMagicV1);
  properties += 'p';
  fields.properties = properties;
  EXPECT_EQ(EncodedRecordBytes(fields).error().code(), ErrorCode::kInvalidArgument);
  properties.resize(32764);
  fields.properties = properties;
  fields.more_properties = "x\x02";  // And the end that is missing between the two.
  EXPECT_EQ(DecodeRecord(Encoded(fields), CrcCheck::kSkip)->properties.size(), 32767U);
  fields.more_properties = "xy\x02";
  EXPECT_FALSE(EncodedRecordBytes(fields).ok());
}

TEST(RecordTest, CutRecordIsRefusedAtEveryLength) {
  for (const std::string& golden : {kGoldenV1, kGoldenV2}) {
    for (std::size_t size = 0; size < golden.size(); ++size) {
      const std::string cut = golden.substr(0, size);
      const auto view = DecodeRecord(cut, CrcCheck::kSkip);
      ASSERT_FALSE(view.ok()) << size;
      EXPECT_EQ(view.error().code(), ErrorCode::kCorruption);
    }
  }
}

TEST(RecordTest, EveryWrongLengthIsRefused) {
  const std::size_t body_at = 84;
  const std::size_t topic_at = body_at + 4 + 11;
  const std::size_t properties_at = topic_at + 1 + 9;
  const auto refused = [](std::string bytes, const std::function<void(char*)>& change) {
    change(bytes.data());
    return !DecodeRecord(bytes, CrcCheck::kSkip).ok();
  };
  for (const std::int32_t total : {0, -1, 1, 8, 90, 206, 208, 0x7FFFFFFF}) {
    EXPECT_TRUE(refused(kGoldenV1, [&](char* b) { StoreBigEndian(b, total); })) << total;
  }
  for (const std::int32_t body : {-1, 0, 10, 12, 200, 0x7FFFFFFF}) {
    EXPECT_TRUE(refused(kGoldenV1, [&](char* b) { StoreBigEndian(b + body_at, body); })) << body;
  }
  for (const int topic : {0, 8, 10, 127, 128, 255}) {
    EXPECT_TRUE(refused(kGoldenV1, [&](char* b) { b[topic_at] = static_cast<char>(topic); }))
        << topic;
  }
  for (const std::int16_t size : {-1, 0, 95, 97, 32767}) {
    EXPECT_TRUE(refused(kGoldenV1, [&](char* b) { StoreBigEndian(b + properties_at, size); }))
        << size;
  }
  for (const std::uint32_t magic : {0U, kBlankMagic, kRecordMagicV2, 0xDAA320A8U}) {
    EXPECT_TRUE(refused(kGoldenV1, [&](char* b) { StoreBigEndian(b + 4, magic); })) << magic;
  }
  for (const std::int32_t flag : {kSysFlagBornHostV6, kSysFlagStoreHostV6}) {
    EXPECT_TRUE(refused(kGoldenV1, [&](char* b) { StoreBigEndian(b + 36, flag); })) << flag;
  }
}

TEST(RecordTest, BodyMustMatchItsChecksumWhenAsked) {
  std::string bytes = kGoldenV1;
  bytes[90] ^= 1;
  EXPECT_EQ(DecodeRecord(bytes, CrcCheck::kVerify).error().code(), ErrorCode::kCorruption);
  EXPECT_TRUE(DecodeRecord(bytes, CrcCheck::kSkip).ok());
}

}  // namespace
}  // namespace apogee
