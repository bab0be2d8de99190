#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "base/bytes.h"
#include "protocol/command.h"

namespace apogee {
namespace {

using State = FrameScan::State;

std::string Frame(std::int32_t length, std::uint32_t word, std::string_view rest) {
  std::string frame;
  AppendBigEndian(frame, length);
  AppendBigEndian(frame, word);
  frame += rest;
  return frame;
}

TEST(FrameTest, EachPrefixAsksForMoreUntilTheFrameIsWhole) {
  Command command;
  command.code = 105;
  command.fields.Add("topic", "T");
  command.body = "body";
  std::string frame;
  EncodeCommand(command, &frame);
  for (std::size_t size = 0; size < frame.size(); ++size) {
    const FrameScan scan = ScanFrame(std::string_view(frame).substr(0, size));
    ASSERT_EQ(scan.state, State::kNeedMore) << size;
    EXPECT_GT(scan.bytes, size);
    EXPECT_LE(scan.bytes, frame.size());
  }
  const FrameScan scan = ScanFrame(frame + "next");
  ASSERT_EQ(scan.state, State::kWhole);
  EXPECT_EQ(scan.bytes, frame.size());
}

TEST(FrameTest, BodyMayFollowInFurtherPieces) {
  Command command;
  command.body = "abc";
  std::string frame;
  EncodeCommand(command, &frame, 3);
  EXPECT_EQ(ScanFrame(frame).bytes, frame.size() + 3);
  frame += "def";
  Command back;
  ASSERT_TRUE(DecodeCommand(frame, &back).ok());
  EXPECT_EQ(back.body, "abcdef");
}

// A length without room for the header word; an unknown header form.
TEST(FrameTest, TrapP01BrokenLengthsAndFormsAreMalformed) {
  const std::string header = R"({"code":1})";
  const auto bytes = static_cast<std::int32_t>(header.size());
  for (const std::string& frame : {
           Frame(3, 0, ""),
           Frame(0, 0, ""),
           Frame(4, 0, ""),
           Frame(4 + bytes, 0x07000000U + 10, header),
           Frame(4 + bytes, 11, header),
           Frame(4 + bytes, 0, header),
           Frame(-1, 0, ""),
           Frame(kFrameBytesMax - 3, 10, header),
       }) {
    const FrameScan scan = ScanFrame(frame);
    EXPECT_EQ(scan.state, State::kMalformed);
    EXPECT_FALSE(scan.what.empty());
    Command command;
    EXPECT_FALSE(DecodeCommand(frame, &command).ok());
  }
  EXPECT_EQ(ScanFrame(Frame(kFrameBytesMax - 4, 10, header)).state, State::kNeedMore);
  EXPECT_EQ(ScanFrame(Frame(3, 0, "").substr(0, 4)).state, State::kMalformed);
}

TEST(FrameTest, TrapP03ForeignProtocolsAreNamedByTheirFirstBytes) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "HTTP/2 preface"},
      {"GET / HTTP/1.1\r\n", "HTTP/1 request"},
      {"POST", "HTTP/1 request"},
      {"\x16\x03\x01\x02", "TLS hello"},
      {"SSH-2.0-OpenSSH", "SSH"},
      {"PROXY TCP4 1.2.3.4", "PROXY protocol v1"},
      {"\r\n\r\n", "PROXY protocol v2"},
      {"*1\r\n$4\r\nPING", "Redis request"},
  };
  for (const auto& [bytes, name] : cases) {
    const FrameScan scan = ScanFrame(bytes);
    EXPECT_EQ(scan.state, State::kForeign) << name;
    EXPECT_EQ(scan.what, name);
  }
  // Not enough to name it yet, and then nothing that is known.
  EXPECT_EQ(ScanFrame("P").state, State::kNeedMore);
  EXPECT_EQ(ScanFrame("XYZ").state, State::kNeedMore);
  EXPECT_EQ(ScanFrame("XYZ!").state, State::kMalformed);
}

}  // namespace
}  // namespace apogee
