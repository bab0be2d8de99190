#pragma once

namespace CLI {
class App;
}

namespace apogee {

// `apogee server`, `namesrv` and `broker`. They run until SIGTERM or SIGINT, then stop clean and
// end with 0.
void AddServeCommands(CLI::App& app, int* exit_code);

}  // namespace apogee
