#pragma once

#include <string>

namespace apogee {

// Appends one byte of a JSON string, escaped when JSON demands it (quote, backslash, control
// characters), as it is otherwise.
void AppendJsonEscaped(std::string& out, char byte);

// \uXXXX in upper case.
void AppendJsonUnit(std::string& out, unsigned unit);

}  // namespace apogee
