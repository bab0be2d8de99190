// What the JSON header decoder takes, the encoder writes so that it reads back the same.
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "protocol/json_header.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string input(reinterpret_cast<const char*>(data), size);
  apogee::Command command;
  if (!apogee::DecodeJsonHeader(input, &command).ok()) return 0;
  std::string first;
  apogee::AppendJsonHeader(command, &first);
  apogee::Command again;
  AP_CHECK(apogee::DecodeJsonHeader(first, &again).ok());
  AP_CHECK(again.code == command.code && again.opaque == command.opaque);
  AP_CHECK(again.version == command.version && again.flag == command.flag);
  std::string second;
  apogee::AppendJsonHeader(again, &second);
  AP_CHECK(first == second);
  return 0;
}
