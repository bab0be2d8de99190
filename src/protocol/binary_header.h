// The binary ("ROCKETMQ") form of a command's header (remoting reference §1.3). Big-endian:
//
//   code 2 | language 1 | version 2 | opaque 4 | flag 4 | remark 4+n | fields 4+m
//   a field: name 2+n | value 4+n, repeated until the m bytes are used up
//
// An empty text means "none": a field with an empty name or value is not there when decoded.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "protocol/command.h"

namespace apogee {

// Fills everything of `into` but body and form; `into` has been cleared. Views point into `header`.
// A request code that its sender cut to 16 bits (POP family) is restored. kCorruption.
Status DecodeBinaryHeader(std::string_view header, Command* into);

// Code and version are cut to 16 bits, as Apache's encoder does.
void AppendBinaryHeader(const Command& command, std::string* out);

}  // namespace apogee
