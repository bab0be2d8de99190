// What the binary header decoder takes, the encoder writes so that it reads back the same.
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "protocol/binary_header.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string input(reinterpret_cast<const char*>(data), size);
  apogee::Command command;
  if (!apogee::DecodeBinaryHeader(input, &command).ok()) return 0;
  std::string first;
  apogee::AppendBinaryHeader(command, &first);
  apogee::Command again;
  AP_CHECK(apogee::DecodeBinaryHeader(first, &again).ok());
  AP_CHECK(again.code == command.code && again.fields.size() == command.fields.size());
  std::string second;
  apogee::AppendBinaryHeader(again, &second);
  AP_CHECK(first == second);
  return 0;
}
