// Whatever a connection sends: a frame is either asked for in full, decoded, or refused.
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "protocol/command.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static apogee::Command command;  // Reused, as a connection does.
  std::string_view input(reinterpret_cast<const char*>(data), size);
  while (true) {
    const apogee::FrameScan scan = apogee::ScanFrame(input);
    if (scan.state == apogee::FrameScan::State::kNeedMore) {
      AP_CHECK(scan.bytes > input.size() && scan.bytes <= apogee::kFrameBytesMax);
    }
    if (scan.state != apogee::FrameScan::State::kWhole) return 0;
    AP_CHECK(scan.bytes >= 8 && scan.bytes <= input.size());
    if (!apogee::DecodeCommand(input.substr(0, scan.bytes), &command).ok()) return 0;
    input.remove_prefix(scan.bytes);
  }
}
