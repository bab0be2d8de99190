#include "message/message_id.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "base/bytes.h"

namespace apogee {
namespace {

constexpr std::size_t kIdCharsV4 = 2 * (4 + 4 + 8);
constexpr std::size_t kIdCharsV6 = 2 * (16 + 4 + 8);

void AppendHex(std::string& out, std::string_view bytes) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    out += kHex[byte >> 4];
    out += kHex[byte & 0xF];
  }
}

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

std::int64_t MonthStartMs(std::int64_t now_ms) {
  using namespace std::chrono;
  const auto day = floor<days>(sys_time<milliseconds>(milliseconds(now_ms)));
  const year_month_day date(day);
  const sys_days first = date.year() / date.month() / 1;
  return duration_cast<milliseconds>(first.time_since_epoch()).count();
}

}  // namespace

std::string OffsetMessageId(const Host& store_host, LogOffset at) {
  std::string bytes(store_host.ip_bytes());
  AppendBigEndian(bytes, store_host.port);
  AppendBigEndian(bytes, at.value());
  std::string id;
  id.reserve(2 * bytes.size());
  AppendHex(id, bytes);
  return id;
}

Result<MessagePlace> ParseOffsetMessageId(std::string_view id) {
  if (id.size() != kIdCharsV4 && id.size() != kIdCharsV6) {
    return Fail(ErrorCode::kInvalidArgument, fmt::format("no offset message id: '{}'", id));
  }
  std::string bytes;
  for (std::size_t i = 0; i < id.size(); i += 2) {
    const int high = HexDigit(id[i]);
    const int low = HexDigit(id[i + 1]);
    if (high < 0 || low < 0) {
      return Fail(ErrorCode::kInvalidArgument, fmt::format("no offset message id: '{}'", id));
    }
    bytes += static_cast<char>(high * 16 + low);
  }
  MessagePlace place;
  place.store_host.v6 = id.size() == kIdCharsV6;
  ByteReader in(bytes);
  const std::string_view ip = in.ReadBytes(static_cast<std::int64_t>(place.store_host.ip_size()));
  std::copy(ip.begin(), ip.end(), reinterpret_cast<char*>(place.store_host.ip.data()));
  place.store_host.port = in.Read<std::int32_t>();
  place.at = LogOffset(in.Read<std::int64_t>());
  return place;
}

UniqueKeyMaker::UniqueKeyMaker(const Host& host, std::int32_t pid, std::uint32_t salt) {
  std::string bytes(host.ip_bytes());
  AppendBigEndian(bytes, static_cast<std::uint16_t>(pid));
  AppendBigEndian(bytes, salt);
  AppendHex(prefix_, bytes);
}

std::string UniqueKeyMaker::Make(std::int64_t now_ms) {
  const std::uint32_t count = counter_.fetch_add(1, std::memory_order_relaxed);
  std::string bytes;
  AppendBigEndian(bytes, static_cast<std::uint32_t>(now_ms - MonthStartMs(now_ms)));
  AppendBigEndian(bytes, static_cast<std::uint16_t>(count));
  std::string key;
  key.reserve(prefix_.size() + 2 * bytes.size());
  key += prefix_;
  AppendHex(key, bytes);
  return key;
}

}  // namespace apogee
