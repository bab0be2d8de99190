// apogee_sim --seeds N --first S --steps K [--deletes] [--verbose]: runs N seeds from S on, K steps
// each. The first failure ends the run with status 1, its seed and the command that replays it.

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>

#include "base/log.h"
#include "sim/store_simulation.h"

namespace {

struct Arguments {
  std::uint64_t seeds = 100;
  std::uint64_t first = 1;
  int steps = 500;
  apogee::sim::StoreSimulation::Options run;
};

template <typename T>
bool ParseNumber(const char* text, T* value) {
  const char* end = text + std::strlen(text);
  const auto parsed = std::from_chars(text, end, *value);
  return parsed.ec == std::errc() && parsed.ptr == end;
}

bool Parse(int argc, char** argv, Arguments* arguments) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view name = argv[i];
    if (name == "--verbose") {
      arguments->run.verbose = true;
      continue;
    }
    if (name == "--deletes") {
      arguments->run.deletes = true;
      continue;
    }
    if (++i >= argc) return false;
    const bool known = (name == "--seeds" && ParseNumber(argv[i], &arguments->seeds)) ||
                       (name == "--first" && ParseNumber(argv[i], &arguments->first)) ||
                       (name == "--steps" && ParseNumber(argv[i], &arguments->steps));
    if (!known) return false;
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  if (!Parse(argc, argv, &arguments)) {
    std::fprintf(stderr,
                 "usage: apogee_sim [--seeds N] [--first S] [--steps K] [--deletes] "
                 "[--verbose]\n");
    return 2;
  }
  apogee::SetLogLevel(arguments.run.verbose ? apogee::LogLevel::kInfo : apogee::LogLevel::kOff);
  for (std::uint64_t i = 0; i < arguments.seeds; ++i) {
    const std::uint64_t seed = arguments.first + i;
    apogee::sim::StoreSimulation simulation(seed, arguments.run);
    const std::string wrong = simulation.Run(arguments.steps);
    if (!wrong.empty()) {
      std::printf(
          "seed %llu failed: %s\nreplay: apogee_sim --seeds 1 --first %llu --steps %d%s "
          "--verbose\n",
          static_cast<unsigned long long>(seed), wrong.c_str(),
          static_cast<unsigned long long>(seed), arguments.steps,
          arguments.run.deletes ? " --deletes" : "");
      return 1;
    }
  }
  std::printf("%llu seeds, %d steps each: nothing wrong\n",
              static_cast<unsigned long long>(arguments.seeds), arguments.steps);
  return 0;
}
