#include "load/send_frames.h"

#include <gtest/gtest.h>

#include <set>

#include "protocol/send_header.h"

namespace apogee {
namespace {

class SendFramesTest : public ::testing::TestWithParam<HeaderForm> {};

TEST_P(SendFramesTest, EveryFrameIsAWholeSendWithItsOwnNumberQueueAndStamp) {
  const std::vector<TargetQueue> queues = {{"a", 0}, {"a", 1}, {"b", 0}};
  SendFrames frames(queues, 100, GetParam(), "broker-a", 1234567890123, 77);
  for (std::uint32_t i = 0; i < 9; ++i) {
    std::string frame;
    frames.AppendNext(i * 1000, 5'000'000'000 + i, &frame);
    ASSERT_EQ(ScanFrame(frame).state, FrameScan::State::kWhole);
    ASSERT_EQ(ScanFrame(frame).bytes, frame.size());
    Command command;
    ASSERT_TRUE(DecodeCommand(frame, &command).ok());
    EXPECT_EQ(command.form, GetParam());
    EXPECT_EQ(command.code, 310);
    EXPECT_EQ(command.opaque, SendFrames::kFirstOpaque + static_cast<std::int32_t>(i) * 1000);
    const auto header = SendHeader::FromFields(command.code, command.fields);
    ASSERT_TRUE(header.ok()) << header.error().ToString();
    EXPECT_EQ(header->topic, queues[i % 3].topic);
    EXPECT_EQ(header->queue_id, queues[i % 3].id);
    EXPECT_EQ(header->born_time_ms, 1234567890123);
    EXPECT_EQ(command.body.size(), 100U);
    const auto stamp = BodyStamp::Read(command.body);
    ASSERT_TRUE(stamp.has_value());
    EXPECT_EQ(stamp->run, 77U);
    EXPECT_EQ(stamp->due_ns, 5'000'000'000 + i);
  }
}

TEST_P(SendFramesTest, BodiesTooShortForAStampCarryNone) {
  SendFrames frames({{"a", 0}}, 3, GetParam(), "broker-a", 1, 77);
  std::string frame;
  frames.AppendNext(0, 5, &frame);
  Command command;
  ASSERT_TRUE(DecodeCommand(frame, &command).ok());
  EXPECT_EQ(command.body, "xxx");
}

INSTANTIATE_TEST_SUITE_P(Forms, SendFramesTest,
                         ::testing::Values(HeaderForm::kJson, HeaderForm::kBinary));

}  // namespace
}  // namespace apogee
