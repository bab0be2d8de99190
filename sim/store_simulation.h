// One store in one thread from one seed: sends, pulls, background steps, full disks, failing syncs,
// clean stops, kills and power losses, also in the middle of starting. Small files, so that rolls
// are frequent.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "env/fake/manual_clock.h"
#include "env/fake/manual_workers.h"
#include "env/fake/memory_file_system.h"
#include "env/fake/seeded_random.h"
#include "sim/model.h"
#include "sim/positions.h"
#include "store/message_store.h"

namespace apogee::sim {

class StoreSimulation {
 public:
  struct Options {
    // Topics are deleted too. Not by default: what was deleted may come back with a restart that
    // rebuilds queues from the log, where its records still are.
    bool deletes = false;
    bool verbose = false;
  };
  StoreSimulation(std::uint64_t seed, const Options& options);
  ~StoreSimulation();

  // Empty when nothing was wrong, otherwise what was, with the step.
  std::string Run(int steps);

 private:
  // Each does one thing and gives what was wrong.
  std::string Step();
  std::string Send();
  std::string Read();
  std::string CommitPosition();
  std::string RunWorker();
  std::string PassTime();
  std::string DeleteTopic();
  std::string ChangeDisk();
  std::string StopCleanly();
  std::string Crash(CrashMode mode);

  std::string Open();
  std::string AfterOpen();
  std::string AwaitFlush(LogOffset end, std::vector<std::int64_t> ids);
  QueueId SomeQueue();
  bool Chance(std::uint64_t percent) { return random_.Below(100) < percent; }
  CrashMode SomeCrash();
  void Note(const std::string& what);

  const Options run_options_;
  SeededRandom random_;
  ManualClock clock_;
  ManualWorkers workers_;
  MemoryFileSystem fs_;
  StoreOptions options_;
  Model model_;
  std::unique_ptr<MessageStore> store_;
  std::string flush_complaint_;
  Positions positions_;

  std::int64_t next_id_ = 0;
  int step_ = 0;
  // What must be there after the next start: everything when only processes died since, what had
  // been flushed once power failed.
  LogOffset seen_end_;
  LogOffset durable_end_;
  bool power_failed_ = false;
  bool sync_fails_ = false;
};

}  // namespace apogee::sim
