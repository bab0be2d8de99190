// The parts that the ways to run share.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "load/load_run.h"
#include "load/options.h"
#include "load/report.h"
#include "load/targets.h"

namespace apogee {

// What contradicts itself or makes no sense, as kInvalidArgument.
Status CheckOptions(const BenchOptions& options);

// Connections in turn over loops and brokers; together they keep options.rate.
Status AddSenders(const BenchOptions& options, const std::vector<TargetBroker>& brokers,
                  std::uint64_t stamp, LoadRun& run);

// One connection and more a broker, its queues dealt over them, each from its first message on or
// from its end.
enum class ReadFrom { kFirst, kEnd };
Status AddPullers(const BenchOptions& options, const std::vector<TargetBroker>& brokers,
                  ReadFrom from, std::uint64_t stamp, LoadRun& run);

// Measures CPU between its construction and Finish.
class CpuMeter {
 public:
  explicit CpuMeter(std::int64_t server_pid);
  void Finish(RunResult& result) const;

 private:
  const std::int64_t server_pid_;
  const std::optional<double> server_before_;
  const double own_before_;
};

// The sending run against `brokers`, told and printed; the exit code.
int SendAndPrint(const std::string& what, const BenchOptions& options,
                 const std::vector<TargetBroker>& brokers, std::int64_t server_pid);

// "apogee bench: text" on standard error; the exit code for it.
int Refuse(const Error& error);

}  // namespace apogee
