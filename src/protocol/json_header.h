// The JSON form of a command's header, as Apache 5.5.0 reads and writes it (remoting reference
// §1.2):
//
//   {"code":310,"extFields":{"a":"group","b":"topic"},"flag":0,"language":"JAVA","opaque":7,
//    "serializeTypeCurrentRPC":"JSON","version":513}
//
// Read besides strict JSON: single quotes, comments, trailing commas, numeric strings for code,
// numbers, booleans and nested values as extFields (their text is the value), language by name in
// any case or by number. Refused: bare names, an array or null in the place of the object,
// extFields that are no object, text for opaque, flag or version, numbers beyond 32 bits.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "protocol/command.h"

namespace apogee {

// Fills everything of `into` but body and form; `into` has been cleared. Views point into `header`
// or, where an escape had to be resolved, into the memory of `into->fields`. kCorruption.
Status DecodeJsonHeader(std::string_view header, Command* into);

// Strict and compact, members in Apache's order, every field a string.
void AppendJsonHeader(const Command& command, std::string* out);

}  // namespace apogee
