#include "protocol/zlib_stream.h"

#include <zlib.h>

#include <array>
#include <memory>

namespace apogee {

Result<std::string> InflateZlib(std::string_view stream, std::size_t bytes_max) {
  z_stream z{};
  if (inflateInit(&z) != Z_OK) return Fail(ErrorCode::kInternal, "zlib does not start");
  const std::unique_ptr<z_stream, decltype(&inflateEnd)> ender(&z, &inflateEnd);
  // The cast drops const for an old C interface that only reads.
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(stream.data()));
  z.avail_in = static_cast<uInt>(stream.size());
  std::string out;
  std::array<char, 16 * 1024> chunk;
  int state = Z_OK;
  while (state == Z_OK) {
    z.next_out = reinterpret_cast<Bytef*>(chunk.data());
    z.avail_out = static_cast<uInt>(chunk.size());
    state = inflate(&z, Z_NO_FLUSH);
    const std::size_t unpacked = chunk.size() - z.avail_out;
    if (unpacked > bytes_max - out.size()) {
      return Fail(ErrorCode::kResourceExhausted,
                  "a zlib stream unpacks to more than " + std::to_string(bytes_max) + " bytes");
    }
    out.append(chunk.data(), unpacked);
  }
  if (state != Z_STREAM_END || z.avail_in != 0) {
    return Fail(ErrorCode::kCorruption, "no whole zlib stream");
  }
  return out;
}

}  // namespace apogee
