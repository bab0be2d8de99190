#include "message/batch.h"

#include <fmt/format.h>

#include "base/bytes.h"

namespace apogee {

Result<std::vector<BatchItem>> DecodeBatch(std::string_view body) {
  const auto bad = [](std::size_t item, std::string_view what) {
    return Fail(ErrorCode::kInvalidArgument, fmt::format("batch item {}: {}", item + 1, what));
  };
  std::vector<BatchItem> items;
  while (!body.empty()) {
    ByteReader head(body);
    const auto total = head.Read<std::int32_t>();
    if (!head.ok() || total < 0 || static_cast<std::size_t>(total) > body.size()) {
      return bad(items.size(), "cut or of a wrong length");
    }
    ByteReader in(body.substr(0, static_cast<std::size_t>(total)));
    in.Read<std::int32_t>();  // Total, seen above.
    in.Read<std::int32_t>();  // Magic and checksum: senders leave them zero, nobody reads them.
    in.Read<std::int32_t>();
    BatchItem item;
    item.flag = in.Read<std::int32_t>();
    item.body = in.ReadBytes(in.Read<std::int32_t>());
    const auto properties_bytes = in.Read<std::int16_t>();
    if (in.ok() && properties_bytes < 0) {
      return bad(items.size(), "properties longer than 32767 bytes");
    }
    item.properties = in.ReadBytes(properties_bytes);
    if (!in.ok() || in.remaining() != 0) return bad(items.size(), "lengths do not add up");
    items.push_back(item);
    body.remove_prefix(static_cast<std::size_t>(total));
  }
  if (items.empty()) return Fail(ErrorCode::kInvalidArgument, "batch without messages");
  return items;
}

}  // namespace apogee
