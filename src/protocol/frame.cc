// Where a frame starts and ends, and whether these bytes are frames at all.
#include <array>
#include <optional>

#include "base/bytes.h"
#include "protocol/binary_header.h"
#include "protocol/command.h"
#include "protocol/json_header.h"

namespace apogee {
namespace {

constexpr std::size_t kLengthBytes = 4;
constexpr std::size_t kHeaderWordBytes = 4;

struct ForeignStart {
  std::string_view bytes;
  std::string_view name;
};
// The top byte of a frame's length is 0 (16 MiB at most), so every start here is told from a frame
// by its first byte; the others only serve to name it.
constexpr auto kForeignStarts = std::to_array<ForeignStart>({
    {"GET ", "HTTP/1 request"},
    {"POST", "HTTP/1 request"},
    {"PUT ", "HTTP/1 request"},
    {"HEAD", "HTTP/1 request"},
    {"DELE", "HTTP/1 request"},
    {"OPTI", "HTTP/1 request"},
    {"PATC", "HTTP/1 request"},
    {"TRAC", "HTTP/1 request"},
    {"CONN", "HTTP/1 request"},
    {"HTTP", "HTTP/1 answer"},
    {"PRI ", "HTTP/2 preface"},
    {"\x16\x03", "TLS hello"},
    {"SSH-", "SSH"},
    {"PROX", "PROXY protocol v1"},
    {"\r\n\r\n", "PROXY protocol v2"},
    {"*", "Redis request"},
    {"PING", "Redis request"},
    {"AMQP", "AMQP"},
    {"\x10", "MQTT"},
    {"EHLO", "SMTP"},
    {"HELO", "SMTP"},
    {"\x03", "RDP"},
});

FrameScan NeedMore(std::size_t bytes) {
  return {.state = FrameScan::State::kNeedMore, .bytes = bytes, .what = {}};
}
FrameScan Malformed(std::string what) {
  return {.state = FrameScan::State::kMalformed, .bytes = 0, .what = std::move(what)};
}

// What bytes whose first is not 0 look like.
FrameScan NameForeign(std::string_view input) {
  for (const ForeignStart& start : kForeignStarts) {
    if (input.starts_with(start.bytes)) {
      return {.state = FrameScan::State::kForeign, .bytes = 0, .what = std::string(start.name)};
    }
    if (start.bytes.starts_with(input)) return NeedMore(start.bytes.size());
  }
  if (input.size() < kLengthBytes) return NeedMore(kLengthBytes);
  const auto length = LoadBigEndian<std::int32_t>(input.data());
  return Malformed(length < 0 ? "a negative frame length"
                              : "a frame of " + std::to_string(length) + " bytes, over the limit");
}

struct FrameLayout {
  HeaderForm form;
  std::string_view header;
  std::string_view body;
};

// The rules that length and header word must keep; nullptr when they do.
const char* BadLengths(std::int64_t length, std::uint32_t header_word) {
  const std::uint32_t form = header_word >> 24;
  const std::int64_t header_bytes = header_word & 0xFFFFFF;
  if (form > static_cast<std::uint32_t>(HeaderForm::kBinary)) return "an unknown header form";
  if (header_bytes == 0) return "an empty header";
  if (header_bytes > length - static_cast<std::int64_t>(kHeaderWordBytes)) {
    return "a header longer than its frame";
  }
  return nullptr;
}

}  // namespace

FrameScan ScanFrame(std::string_view input) {
  if (input.empty()) return NeedMore(kLengthBytes + kHeaderWordBytes);
  if (input.front() != '\0') [[unlikely]] {
    return NameForeign(input);
  }
  if (input.size() < kLengthBytes) return NeedMore(kLengthBytes + kHeaderWordBytes);
  const std::int64_t length = LoadBigEndian<std::int32_t>(input.data());
  if (length + static_cast<std::int64_t>(kLengthBytes) > kFrameBytesMax) {
    return Malformed("a frame of " + std::to_string(length) + " bytes, over the limit");
  }
  if (length < static_cast<std::int64_t>(kHeaderWordBytes)) {
    return Malformed("a frame too short for its header");
  }
  if (input.size() < kLengthBytes + kHeaderWordBytes) {
    return NeedMore(kLengthBytes + kHeaderWordBytes);
  }
  const auto header_word = LoadBigEndian<std::uint32_t>(input.data() + kLengthBytes);
  if (const char* what = BadLengths(length, header_word)) return Malformed(what);
  const std::size_t bytes = kLengthBytes + static_cast<std::size_t>(length);
  FrameScan scan = NeedMore(bytes);
  if (input.size() >= bytes) scan.state = FrameScan::State::kWhole;
  return scan;
}

Status DecodeCommand(std::string_view frame, Command* into) {
  into->Clear();
  ByteReader reader(frame);
  const std::int64_t length = reader.Read<std::int32_t>();
  const auto header_word = reader.Read<std::uint32_t>();
  if (!reader.ok() || length != static_cast<std::int64_t>(frame.size() - kLengthBytes)) {
    return Fail(ErrorCode::kCorruption, "a frame whose length is not its own");
  }
  if (const char* what = BadLengths(length, header_word)) {
    return Fail(ErrorCode::kCorruption, what);
  }
  into->form = static_cast<HeaderForm>(header_word >> 24);
  const std::string_view header = reader.ReadBytes(header_word & 0xFFFFFF);
  into->body = frame.substr(kLengthBytes + kHeaderWordBytes + header.size());
  return into->form == HeaderForm::kJson ? DecodeJsonHeader(header, into)
                                         : DecodeBinaryHeader(header, into);
}

void EncodeCommand(const Command& command, std::string* out, std::size_t more_body_bytes) {
  const std::size_t start = out->size();
  out->append(kLengthBytes + kHeaderWordBytes, '\0');  // Filled in below.
  if (command.form == HeaderForm::kJson) {
    AppendJsonHeader(command, out);
  } else {
    AppendBinaryHeader(command, out);
  }
  const std::size_t header_bytes = out->size() - start - kLengthBytes - kHeaderWordBytes;
  out->append(command.body);
  StoreBigEndian(out->data() + start,
                 static_cast<std::uint32_t>(out->size() - start - kLengthBytes + more_body_bytes));
  StoreBigEndian(
      out->data() + start + kLengthBytes,
      static_cast<std::uint32_t>(static_cast<std::uint32_t>(command.form) << 24 | header_bytes));
}

}  // namespace apogee
