#include "main/version_command.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>

#include "server/version.h"

namespace apogee {

void AddVersionCommand(CLI::App& app, int* exit_code) {
  CLI::App* command = app.add_subcommand("version", "Print the version and end");
  command->callback([exit_code] {
    fmt::print("apogee {} (speaks the RocketMQ remoting protocol as release {})\n", kVersion,
               kRocketMqRelease);
    *exit_code = 0;
  });
}

}  // namespace apogee
