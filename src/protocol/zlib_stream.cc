#include "protocol/zlib_stream.h"

#include <zlib.h>

#include <algorithm>
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
  std::size_t used = 0;
  int state = Z_OK;
  while (state == Z_OK) {
    if (used == out.size()) {
      if (used >= bytes_max) {
        return Fail(ErrorCode::kResourceExhausted,
                    "a zlib stream unpacks to more than " + std::to_string(bytes_max) + " bytes");
      }
      out.resize(std::min(bytes_max, std::max<std::size_t>(4096, used * 2)));
    }
    z.next_out = reinterpret_cast<Bytef*>(out.data() + used);
    z.avail_out = static_cast<uInt>(out.size() - used);
    state = inflate(&z, Z_NO_FLUSH);
    used = out.size() - z.avail_out;
  }
  if (state != Z_STREAM_END || z.avail_in != 0) {
    return Fail(ErrorCode::kCorruption, "no whole zlib stream");
  }
  out.resize(used);
  return out;
}

}  // namespace apogee
