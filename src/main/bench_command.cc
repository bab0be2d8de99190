#include "main/bench_command.h"

#include <CLI/CLI.hpp>
#include <map>
#include <memory>
#include <string>

#include "load/options.h"

namespace apogee {
namespace {

using Runner = int (*)(const BenchOptions&);

void AddLoadFlags(CLI::App& command, BenchOptions& options) {
  command.add_option("--connections", options.connections, "Connections to the brokers");
  command.add_option("--threads", options.threads, "Event loops of the load generator");
  command.add_option("--topic", options.topic, "Name of the topic, or what its name begins with");
  command.add_option("--topics", options.topics, "How many topics: NAME-0, NAME-1, …");
  command.add_option("--queues", options.queues, "Queues a broker of a topic that is created");
  static const std::map<std::string, HeaderForm> kForms = {{"json", HeaderForm::kJson},
                                                           {"binary", HeaderForm::kBinary}};
  command.add_option("--header", options.header, "Form of the headers: json or binary")
      ->transform(CLI::CheckedTransformer(kForms, CLI::ignore_case));
  command.add_option_function<double>(
      "--duration",
      [&options](const double& seconds) {
        options.duration = std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
      },
      "Seconds that the run lasts (10)");
  command.add_option("--count", options.count, "Messages after which it ends earlier");
  command.add_flag("--json", options.json, "Print the result as one JSON object");
}

void AddSendFlags(CLI::App& command, BenchOptions& options) {
  command.add_option("--in-flight", options.in_flight, "Unanswered requests a connection");
  command.add_option("--size", options.message_bytes, "Bytes of a message's body");
  command.add_option("--rate", options.rate,
                     "Messages a second over all connections, each at its moment; latencies count "
                     "from then. 0: the next follows the answer");
}

void AddBrokerFlags(CLI::App& command, BenchOptions& options) {
  command.add_option("-n,--namesrv", options.name_server, "Address of the name server")
      ->capture_default_str();
  command.add_option("--server-pid", options.server_pid,
                     "Process whose CPU time is told beside ours");
  command.add_flag("--allow-remote", options.allow_remote,
                   "Allow brokers that are not on the loopback network");
}

void AddReadFlags(CLI::App& command, BenchOptions& options) {
  command.add_option("--group", options.group, "Consumer group");
  command.add_option("--batch", options.pull_batch, "Messages asked for at a time");
}

CLI::App* AddMode(CLI::App& bench, const char* name, const char* text, Runner run,
                  const std::shared_ptr<BenchOptions>& options, int* exit_code) {
  CLI::App* command = bench.add_subcommand(name, text);
  command->callback([run, options, exit_code] { *exit_code = run(*options); });
  AddLoadFlags(*command, *options);
  return command;
}

}  // namespace

void AddBenchCommand(CLI::App& app, int* exit_code) {
  CLI::App* bench = app.add_subcommand("bench", "Load generator");
  bench->require_subcommand(1);
  const auto options = std::make_shared<BenchOptions>();

  CLI::App* send = AddMode(*bench, "send", "Send messages", RunSend, options, exit_code);
  AddSendFlags(*send, *options);
  AddBrokerFlags(*send, *options);

  CLI::App* consume = AddMode(*bench, "consume", "Read topics from their first message on",
                              RunConsume, options, exit_code);
  AddReadFlags(*consume, *options);
  AddBrokerFlags(*consume, *options);

  CLI::App* e2e = AddMode(*bench, "e2e", "Send and receive; latency from due time to receipt",
                          RunE2e, options, exit_code);
  AddSendFlags(*e2e, *options);
  AddReadFlags(*e2e, *options);
  AddBrokerFlags(*e2e, *options);

  CLI::App* echo =
      AddMode(*bench, "echo", "The floor: send to a server of its own that only answers", RunEcho,
              options, exit_code);
  AddSendFlags(*echo, *options);
  echo->add_flag("--serve", options->serve, "Only that server, until standard input ends");
  echo->add_option("--port", options->serve_port, "Its port; 0: a free one");
  echo->add_option("--server-threads", options->server_threads, "Its event loops");
}

}  // namespace apogee
