#pragma once

namespace CLI {
class App;
}

namespace apogee {

// `apogee bench send|consume|e2e|echo`: the load generator (load/options.h).
void AddBenchCommand(CLI::App& app, int* exit_code);

}  // namespace apogee
