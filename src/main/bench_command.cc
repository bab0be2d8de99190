#include "main/bench_command.h"

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "base/log.h"
#include "load/options.h"

namespace apogee {
namespace {

// What CLI11 reads into and BenchOptions keeps in another type.
struct BenchFlags {
  BenchOptions options;
  std::string header = "json";
  double duration_seconds = 10;
};

void AddTargetFlags(CLI::App& command, BenchOptions& options) {
  command.add_option("-n,--namesrv", options.name_server, "Name server to ask for routes")
      ->capture_default_str();
  command.add_flag("--allow-remote", options.allow_remote,
                   "Allow targets that are not on the loopback network");
  command.add_option("-t,--topic", options.topic, "Topic, or the start of the topics' names")
      ->capture_default_str();
  command.add_option("--topics", options.topics, "Number of topics")->capture_default_str();
  command.add_option("--queues", options.queues, "Queues of a topic that the run creates")
      ->capture_default_str();
  command
      .add_option("--server-pid", options.server_pid,
                  "Report the CPU time of this process beside ours")
      ->type_name("PID");
}

void AddLoadFlags(CLI::App& command, BenchFlags& flags) {
  BenchOptions& options = flags.options;
  command.add_option("--connections", options.connections, "Connections")->capture_default_str();
  command.add_option("--in-flight", options.in_flight, "Requests in flight on each connection")
      ->capture_default_str();
  command.add_option("--size", options.message_bytes, "Message body in bytes")
      ->capture_default_str();
  command
      .add_option("--rate", options.rate,
                  "Messages a second in all, at fixed moments, latency from the moment due; 0: "
                  "closed loop")
      ->capture_default_str();
}

void AddCommonFlags(CLI::App& command, BenchFlags& flags) {
  BenchOptions& options = flags.options;
  command.add_option("--header", flags.header, "Form of the request headers")
      ->check(CLI::IsMember({"json", "binary"}))
      ->capture_default_str();
  command.add_option("--threads", options.threads, "Threads of the load generator")
      ->capture_default_str();
  command.add_option("--duration", flags.duration_seconds, "Seconds to run")
      ->check(CLI::Range(0.1, 86'400.0))
      ->capture_default_str();
  command.add_option("--count", options.count, "End after this many messages; 0: by time only")
      ->capture_default_str();
  command.add_flag("--json", options.json, "Print the result as one JSON object");
}

void AddConsumeFlags(CLI::App& command, BenchOptions& options) {
  command.add_option("-g,--group", options.group, "Consumer group")->capture_default_str();
  command.add_option("--pull-batch", options.pull_batch, "Messages asked for in one pull")
      ->capture_default_str();
}

void AddRun(CLI::App& command, const std::shared_ptr<BenchFlags>& flags,
            int (*run)(const BenchOptions&), int* exit_code) {
  command.callback([flags, run, exit_code] {
    // The run's own lines are what counts; the libraries' stay out of them.
    SetLogLevel(LogLevel::kWarning);
    flags->options.header = flags->header == "binary" ? HeaderForm::kBinary : HeaderForm::kJson;
    flags->options.duration =
        std::chrono::milliseconds(static_cast<std::int64_t>(flags->duration_seconds * 1000));
    *exit_code = run(flags->options);
  });
}

}  // namespace

void AddBenchCommand(CLI::App& app, int* exit_code) {
  CLI::App* bench = app.add_subcommand("bench", "Generate load and measure");
  bench->require_subcommand(1);
  auto flags = std::make_shared<BenchFlags>();

  CLI::App* send = bench->add_subcommand("send", "Send messages");
  AddTargetFlags(*send, flags->options);
  AddLoadFlags(*send, *flags);
  AddCommonFlags(*send, *flags);
  AddRun(*send, flags, &RunSend, exit_code);

  CLI::App* consume =
      bench->add_subcommand("consume", "Read the topics from their first message on");
  AddTargetFlags(*consume, flags->options);
  AddConsumeFlags(*consume, flags->options);
  AddCommonFlags(*consume, *flags);
  AddRun(*consume, flags, &RunConsume, exit_code);

  CLI::App* e2e =
      bench->add_subcommand("e2e", "Send and receive; latency from due time to receipt");
  AddTargetFlags(*e2e, flags->options);
  AddLoadFlags(*e2e, *flags);
  AddConsumeFlags(*e2e, flags->options);
  AddCommonFlags(*e2e, *flags);
  AddRun(*e2e, flags, &RunE2e, exit_code);

  CLI::App* echo = bench->add_subcommand(
      "echo", "The same sends against a server that answers and stores nothing: the floor");
  AddLoadFlags(*echo, *flags);
  AddCommonFlags(*echo, *flags);
  echo->add_flag("--serve", flags->options.serve,
                 "Be only the server, until standard input ends or a signal comes");
  echo->add_option("--serve-port", flags->options.serve_port, "Its port; 0: any free one")
      ->capture_default_str();
  echo->add_option("--server-threads", flags->options.server_threads, "Its event loops")
      ->capture_default_str();
  AddRun(*echo, flags, &RunEcho, exit_code);
}

}  // namespace apogee
