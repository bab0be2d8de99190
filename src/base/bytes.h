// Big-endian integers in byte buffers, and a reader that never runs past the end.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace apogee {

using ByteSpan = std::span<const std::byte>;

template <typename T>
  requires std::is_integral_v<T>
constexpr T ToBigEndian(T value) {
  if constexpr (sizeof(T) == 1 || std::endian::native == std::endian::big) {
    return value;
  } else {
    return std::byteswap(value);
  }
}

template <typename T>
inline T LoadBigEndian(const void* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return ToBigEndian(value);
}

template <typename T>
inline void StoreBigEndian(void* to, T value) {
  value = ToBigEndian(value);
  std::memcpy(to, &value, sizeof(T));
}

template <typename T>
inline void AppendBigEndian(std::string& out, T value) {
  value = ToBigEndian(value);
  out.append(reinterpret_cast<const char*>(&value), sizeof(T));
}

inline std::string_view AsText(ByteSpan bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
inline ByteSpan AsBytes(std::string_view text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

// Reads big-endian fields from a view. After the first read past the end every read gives zero or
// an empty view and ok() stays false, so a decoder checks once at its end (and before trusting a
// count).
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}

  template <typename T>
  T Read() {
    if (rest_.size() < sizeof(T)) {
      ok_ = false;
      rest_ = {};
      return T{};
    }
    const T value = LoadBigEndian<T>(rest_.data());
    rest_.remove_prefix(sizeof(T));
    return value;
  }

  // A view into the input. A negative or over-long `size` fails.
  std::string_view ReadBytes(std::int64_t size) {
    if (size < 0 || static_cast<std::uint64_t>(size) > rest_.size()) {
      ok_ = false;
      rest_ = {};
      return {};
    }
    const std::string_view bytes = rest_.substr(0, static_cast<std::size_t>(size));
    rest_.remove_prefix(bytes.size());
    return bytes;
  }

  bool ok() const { return ok_; }
  std::size_t remaining() const { return rest_.size(); }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace apogee
