#include "protocol/binary_header.h"

#include <limits>

#include "base/bytes.h"

namespace apogee {
namespace {

constexpr std::size_t kFixedBytes = 2 + 1 + 2 + 4 + 4 + 4 + 4;
static_assert(kFixedBytes == 21, "the shortest header, as the reference counts it");

// POP and its relatives are numbered beyond 16 bits: 200050 … 200056 and 200151. No other request
// has the numbers that remain of them.
constexpr std::int32_t kCutBits = 0x30000;
static_assert((200050 & 0xFFFF) == 3442 && 3442 + kCutBits == 200050);

std::int32_t RestoreRequestCode(std::int32_t code) {
  const bool cut = (code >= 3442 && code <= 3448) || code == 3543;
  return cut ? code + kCutBits : code;
}

Language LanguageFromByte(std::uint8_t byte) {
  return byte <= static_cast<std::uint8_t>(Language::kNodeJs) ? static_cast<Language>(byte)
                                                              : Language::kOther;
}

void AppendText(std::string& out, std::string_view text) {
  AppendBigEndian(out, static_cast<std::int32_t>(text.size()));
  out.append(text);
}

}  // namespace

Status DecodeBinaryHeader(std::string_view header, Command* into) {
  ByteReader reader(header);
  into->code = reader.Read<std::int16_t>();
  into->language = LanguageFromByte(reader.Read<std::uint8_t>());
  into->version = reader.Read<std::int16_t>();
  into->opaque = reader.Read<std::int32_t>();
  into->flag = reader.Read<std::int32_t>();
  into->remark = reader.ReadBytes(reader.Read<std::int32_t>());
  ByteReader fields(reader.ReadBytes(reader.Read<std::int32_t>()));
  if (!reader.ok()) {
    return Fail(ErrorCode::kCorruption, "binary header: a length runs past its end");
  }
  into->has_fields = fields.remaining() > 0;
  while (fields.remaining() > 0) {
    const std::string_view name = fields.ReadBytes(fields.Read<std::int16_t>());
    const std::string_view value = fields.ReadBytes(fields.Read<std::int32_t>());
    if (!fields.ok()) {
      return Fail(ErrorCode::kCorruption, "binary header: a field runs past the field list");
    }
    if (!name.empty() && !value.empty()) into->fields.AddView(name, value);
  }
  if (!into->is_response()) into->code = RestoreRequestCode(into->code);
  return Ok();
}

void AppendBinaryHeader(const Command& command, std::string* out) {
  AppendBigEndian(*out, static_cast<std::int16_t>(command.code));
  out->push_back(static_cast<char>(command.language));
  AppendBigEndian(*out, static_cast<std::int16_t>(command.version));
  AppendBigEndian(*out, command.opaque);
  AppendBigEndian(*out, command.flag);
  AppendText(*out, command.remark);
  const std::size_t length_at = out->size();
  AppendBigEndian(*out, std::int32_t{0});
  for (const Fields::Field& field : command.fields) {
    if (field.name.empty() || field.name.size() > std::numeric_limits<std::int16_t>::max()) {
      continue;  // Cannot be written in this form.
    }
    AppendBigEndian(*out, static_cast<std::int16_t>(field.name.size()));
    out->append(field.name);
    AppendText(*out, field.value);
  }
  StoreBigEndian(out->data() + length_at,
                 static_cast<std::int32_t>(out->size() - length_at - sizeof(std::int32_t)));
}

}  // namespace apogee
