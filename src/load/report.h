// How a run is told: a line a second while it goes on, the result at its end.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "base/json.h"
#include "load/totals.h"

namespace apogee {

// One line on standard error. `before`: completed at the last line, `seconds` ago.
void PrintProgress(const std::string& what, const Totals& totals, std::int64_t before,
                   double seconds);

struct RunResult {
  std::string what;     // "send"
  std::string latency;  // What the latencies are: "send to answer".
  double seconds = 0;
  Totals totals;
  // CPU seconds spent during the run.
  std::optional<double> server_cpu;
  double client_cpu = 0;
  // Further numbers of one way to run ("messages", "missing").
  std::map<std::string, std::int64_t> more;

  Json ToJson() const;
  std::string ToText() const;
};

// On standard output; the exit code.
int PrintResult(const RunResult& result, bool json);

}  // namespace apogee
