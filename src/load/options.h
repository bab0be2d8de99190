// What a run of the load generator is told, and its four ways to run. The command line is read in
// main/.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

#include "protocol/command.h"

namespace apogee {

struct BenchOptions {
  std::string name_server = "127.0.0.1:9876";
  // Without it a target that is not on the loopback network is refused.
  bool allow_remote = false;

  std::string topic = "ApogeeBench";  // The name itself, or with -0, -1, … when there are several.
  int topics = 1;
  int queues = 8;  // Of a topic that the run creates; one that exists is used as it is.
  std::string group = "ApogeeBenchGroup";

  int connections = 1;
  int in_flight = 1;  // A connection.
  int threads = 1;    // Of the load generator.
  std::size_t message_bytes = 1024;
  HeaderForm header = HeaderForm::kJson;
  // Messages a second over all connections, sent at fixed moments; a latency counts from the moment
  // at which its message was due. 0: closed loop, the next request follows the answer.
  double rate = 0;
  std::chrono::milliseconds duration{10'000};
  std::int64_t count = 0;  // Ends the run earlier; 0: only the duration does.
  int pull_batch = 32;     // maxMsgNums.

  std::int64_t server_pid = 0;  // Whose CPU time is reported beside ours; 0: nobody's.
  bool json = false;            // The result as one JSON object on standard output.

  // echo: only the server part, on this port, until standard input ends or a signal comes.
  bool serve = false;
  std::uint16_t serve_port = 0;
  int server_threads = 2;  // Loops of the echo server.
};

// The exit code of the process: 0, 1 when the run could not be done or nothing succeeded, 2 when
// the options contradict each other.
int RunSend(const BenchOptions& options);
// Reads the topics from their first message on, then waits for more.
int RunConsume(const BenchOptions& options);
// Sends and receives; the latency is that from the send's due time to its receipt.
int RunE2e(const BenchOptions& options);
// The same sends against a server that only answers: what the network and the codec cost. Forks its
// server, so no thread may have been started before.
int RunEcho(const BenchOptions& options);

}  // namespace apogee
