#include "main/serve_command.h"

#include <fmt/core.h>
#include <signal.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/log.h"
#include "env/clock.h"
#include "env/file_system.h"
#include "env/random.h"
#include "env/workers.h"
#include "server/config.h"
#include "server/process.h"
#include "server/version.h"

namespace apogee {
namespace {

// What the command line says, beside the subcommand.
struct Flags {
  std::string config_file;
  std::string name_servers;
  std::string store;
  std::vector<std::string> assignments;
  std::uint16_t name_server_port = 9876;
  bool print = false;
  bool verbose = false;
};

Status LoadConfig(const Flags& flags, Parts parts, Config* config) {
  if (!flags.config_file.empty()) {
    Result<std::string> text = SystemFileSystem().ReadFile(flags.config_file);
    if (!text.ok()) return std::unexpected(text.error());
    AP_RETURN_IF_ERROR(config->Load(*text, flags.config_file));
  }
  // The order of RocketMQ's servers: environment, file, command line.
  if (const char* environment = std::getenv("NAMESRV_ADDR");
      parts.broker && environment != nullptr && !config->IsSet("namesrvAddr")) {
    AP_RETURN_IF_ERROR(config->Set("namesrvAddr", environment, "NAMESRV_ADDR"));
  }
  if (!flags.name_servers.empty()) {
    AP_RETURN_IF_ERROR(config->Set("namesrvAddr", flags.name_servers, "-n"));
  }
  if (!flags.store.empty()) {
    AP_RETURN_IF_ERROR(config->Set("storePathRootDir", flags.store, "--store"));
  }
  for (const std::string& assignment : flags.assignments) {
    AP_RETURN_IF_ERROR(config->Set(assignment, "--set"));
  }
  if (!parts.broker && !config->IsSet("listenPort")) {
    AP_RETURN_IF_ERROR(config->Set("listenPort", "9876", "default"));
  }
  return Ok();
}

std::string HostName() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 && name[0] != '\0' ? name.data()
                                                                             : "localhost";
}

std::int64_t MemoryBytes() {
  return static_cast<std::int64_t>(::sysconf(_SC_PHYS_PAGES)) * ::sysconf(_SC_PAGE_SIZE);
}

// Blocks the signals that end us, in this thread and all it starts, so that only Wait sees them.
class EndSignals {
 public:
  EndSignals() {
    ::signal(SIGPIPE, SIG_IGN);
    ::sigemptyset(&set_);
    ::sigaddset(&set_, SIGTERM);
    ::sigaddset(&set_, SIGINT);
    ::pthread_sigmask(SIG_BLOCK, &set_, nullptr);
  }
  const char* Wait() {
    int signal = 0;
    ::sigwait(&set_, &signal);
    return signal == SIGINT ? "SIGINT" : "SIGTERM";
  }

 private:
  sigset_t set_{};
};

int Fail(const Error& error) {
  fmt::print(stderr, "apogee: {}\n", error.message());
  return 1;
}

int Serve(const Flags& flags, Parts parts) {
  if (flags.verbose) SetLogLevel(LogLevel::kDebug);
  Config config;
  if (const Status loaded = LoadConfig(flags, parts, &config); !loaded.ok()) {
    return Fail(loaded.error());
  }
  ProcessOptions options;
  options.parts = parts;
  options.name_server_port = flags.name_server_port;
  options.host_name = HostName();
  options.memory_bytes = MemoryBytes();
  options.pid = ::getpid();
  if (flags.print) {
    const Result<std::string> effective = EffectiveConfig(options, config);
    if (!effective.ok()) return Fail(effective.error());
    fmt::print("{}", *effective);
    return 0;
  }

  EndSignals signals;
  for (const std::string& notice : config.Notices()) LogWarning("{}", notice);
  Result<std::unique_ptr<Process>> process = Process::Start(
      options, config, SystemFileSystem(), SystemClock(), SystemRandom(), SystemWorkers());
  if (!process.ok()) return Fail(process.error());
  fmt::print("ready: {}\n", (*process)->Addresses());
  std::fflush(stdout);

  LogInfo("{} received: stopping", signals.Wait());
  const Status stopped = (*process)->Stop();
  if (!stopped.ok()) return Fail(stopped.error());
  LogInfo("stopped clean");
  return 0;
}

void AddCommonFlags(CLI::App& command, Flags& flags) {
  command.add_option("-c,--configFile", flags.config_file,
                     "Apache properties file (broker.conf, namesrv.conf), taken as it is");
  command.add_option("--set", flags.assignments, "One setting, key=value; wins over the file")
      ->type_name("KEY=VALUE");
  command.add_flag("-p,--printConfigItem", flags.print,
                   "Print the effective configuration and end");
  command.add_flag("-v,--verbose", flags.verbose, "Log more");
}

void AddBrokerFlags(CLI::App& command, Flags& flags) {
  command
      .add_option("-n,--namesrvAddr", flags.name_servers,
                  "Name servers to register with, host:port;host:port")
      ->type_name("ADDR");
  command.add_option("--store", flags.store, "Store directory (key storePathRootDir; ./data)")
      ->type_name("DIR");
}

}  // namespace

void AddServeCommands(CLI::App& app, int* exit_code) {
  auto flags = std::make_shared<Flags>();

  CLI::App* server = app.add_subcommand(
      "server", "Name server and broker in one process, on ports 9876 and 10911");
  AddCommonFlags(*server, *flags);
  AddBrokerFlags(*server, *flags);
  server
      ->add_option("--namesrv-port", flags->name_server_port,
                   "Port of the name server; 0: any free")
      ->capture_default_str();
  server->callback(
      [flags, exit_code] { *exit_code = Serve(*flags, {.name_server = true, .broker = true}); });

  CLI::App* name_server = app.add_subcommand("namesrv", "A name server, on port 9876");
  AddCommonFlags(*name_server, *flags);
  name_server->callback(
      [flags, exit_code] { *exit_code = Serve(*flags, {.name_server = true, .broker = false}); });

  CLI::App* broker = app.add_subcommand("broker", "A broker, on port 10911");
  AddCommonFlags(*broker, *flags);
  AddBrokerFlags(*broker, *flags);
  broker->callback(
      [flags, exit_code] { *exit_code = Serve(*flags, {.name_server = false, .broker = true}); });
}

}  // namespace apogee
