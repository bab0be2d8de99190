#include <CLI/CLI.hpp>

#include "main/bench_command.h"
#include "main/serve_command.h"
#include "main/version_command.h"

int main(int argc, char** argv) {
  CLI::App app(
      "Apogee: a message broker that speaks RocketMQ. Start with `apogee server`, then point any "
      "RocketMQ "
      "client at 127.0.0.1:9876.");
  app.name("apogee");
  app.require_subcommand(1);
  app.get_formatter()->column_width(34);

  int exit_code = 0;
  apogee::AddServeCommands(app, &exit_code);
  apogee::AddBenchCommand(app, &exit_code);
  apogee::AddVersionCommand(app, &exit_code);
  CLI11_PARSE(app, argc, argv);
  return exit_code;
}
