#include "load/report.h"

#include <fmt/core.h>

#include <array>
#include <cstdio>
#include <utility>

namespace apogee {
namespace {

constexpr auto kPercentiles = std::to_array<std::pair<const char*, double>>(
    {{"p50", 50}, {"p90", 90}, {"p99", 99}, {"p99.9", 99.9}});

double Micros(std::int64_t nanoseconds) {
  return static_cast<double>(nanoseconds) / 1000.0;
}

double PerSecond(std::int64_t count, double seconds) {
  return seconds > 0 ? static_cast<double>(count) / seconds : 0;
}

std::string ErrorName(std::int32_t code) {
  if (code == kErrorNoAnswer) return "no answer";
  if (code == kErrorConnectionLost) return "connection lost";
  return std::to_string(code);
}

double PerMillion(double cpu, std::int64_t count) {
  return count > 0 ? cpu * 1e6 / static_cast<double>(count) : 0;
}

}  // namespace

void PrintProgress(const std::string& what, const Totals& totals, std::int64_t before,
                   double seconds) {
  fmt::print(stderr, "{}: {:.0f}/s, {} errors, p99 {:.0f} us\n", what,
             PerSecond(totals.completed - before, seconds), totals.error_count(),
             Micros(totals.latency.Percentile(99)));
}

Json RunResult::ToJson() const {
  Json json;
  json.Set("what", what);
  json.Set("seconds", seconds);
  json.Set("completed", totals.completed);
  json.Set("perSecond", PerSecond(totals.completed, seconds));
  Json micros;
  for (const auto& [name, percent] : kPercentiles) {
    micros.Set(name, Micros(totals.latency.Percentile(percent)));
  }
  micros.Set("max", Micros(totals.latency.max()));
  micros.Set("mean", totals.latency.mean() / 1000.0);
  json.Set("latencyOf", latency);
  json.Set("latencyMicros", std::move(micros));
  Json errors{Json::Object()};
  for (const auto& [code, count] : totals.errors) errors.Set(ErrorName(code), count);
  json.Set("errors", std::move(errors));
  json.Set("clientCpuSeconds", client_cpu);
  if (server_cpu) {
    json.Set("serverCpuSeconds", *server_cpu);
    json.Set("serverCpuSecondsPerMillion", PerMillion(*server_cpu, totals.completed));
  }
  for (const auto& [name, count] : more) json.Set(name, count);
  return json;
}

std::string RunResult::ToText() const {
  std::string text = fmt::format("{}: {} in {:.2f} s = {:.0f}/s\n", what, totals.completed, seconds,
                                 PerSecond(totals.completed, seconds));
  text += fmt::format("{} (us):", latency);
  for (const auto& [name, percent] : kPercentiles) {
    text += fmt::format(" {} {:.1f}", name, Micros(totals.latency.Percentile(percent)));
  }
  text += fmt::format(" max {:.1f} mean {:.1f}\n", Micros(totals.latency.max()),
                      totals.latency.mean() / 1000.0);
  for (const auto& [name, count] : more) text += fmt::format("{}: {}\n", name, count);
  if (totals.errors.empty()) text += "errors: none\n";
  for (const auto& [code, count] : totals.errors) {
    text += fmt::format("errors, {}: {}\n", ErrorName(code), count);
  }
  text += fmt::format("CPU: client {:.2f} s", client_cpu);
  if (server_cpu) {
    text += fmt::format(", server {:.2f} s = {:.2f} s per million", *server_cpu,
                        PerMillion(*server_cpu, totals.completed));
  }
  return text + "\n";
}

int PrintResult(const RunResult& result, bool json) {
  const std::string text = json ? result.ToJson().Dump() + "\n" : result.ToText();
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
  return result.totals.completed > 0 ? 0 : 1;
}

}  // namespace apogee
