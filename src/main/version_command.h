#pragma once

namespace CLI {
class App;
}

namespace apogee {

// `apogee version`: our version and the RocketMQ release we answer as.
void AddVersionCommand(CLI::App& app, int* exit_code);

}  // namespace apogee
