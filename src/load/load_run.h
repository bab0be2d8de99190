// A run: participants on event loops, a common start and end, a line a second, and the sum of what
// was counted.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "load/totals.h"
#include "net/event_loop.h"

namespace apogee {

// Of one loop and on it, or a sum.
struct RunTotals {
  Totals sent;
  Totals received;
  std::int64_t last_ns = 0;  // When the newest success was counted; monotonic.

  void Add(const RunTotals& other);
};

// Everything but Connect on its loop.
class Participant {
 public:
  using Connected = std::move_only_function<void(Status)>;

  virtual ~Participant() = default;
  // Threads: any. `connected` is called on the loop, once.
  virtual void Connect(Connected connected) = 0;
  // Work begins at `start_ns` and nothing new at or after `end_ns` (monotonic).
  virtual void Begin(std::int64_t start_ns, std::int64_t end_ns) = 0;
  // Everything begun has come to its end, and nothing new will be begun.
  virtual bool done() const = 0;
  // Counts what is still open as failed and closes.
  virtual void End() = 0;
};

// Threads: the one that made it.
class LoadRun {
 public:
  explicit LoadRun(int threads);
  ~LoadRun();

  int threads() const { return loops_->count(); }
  EventLoop& loop(int index) { return loops_->at(index); }
  // Lives as long as the run; only the loop touches it.
  RunTotals& totals(int index) { return *totals_[static_cast<std::size_t>(index)]; }
  void Add(int index, std::shared_ptr<Participant> participant);

  Status Connect();

  // What is cheap to sum up: asked many times a second without disturbing the loops.
  struct Counts {
    std::int64_t sent = 0;
    std::int64_t received = 0;
    bool all_done = true;
  };
  struct Course {
    std::string what;
    std::chrono::milliseconds duration;
    // How long what was begun may take after the end.
    std::chrono::milliseconds grace{5000};
    // Which of the two totals progress shows.
    Totals RunTotals::* shown = &RunTotals::sent;
    // Ends the run when true, before the duration has passed too; not given: when all are done.
    std::function<bool(const Counts& counts)> finished = nullptr;
  };
  // Blocks until the end; the sum.
  RunTotals Go(const Course& course);
  // From the start to the newest success.
  double seconds() const { return seconds_; }

 private:
  struct Place {
    int loop;
    std::shared_ptr<Participant> participant;
  };
  // Runs `action` on loop `index` and waits for it.
  void OnLoop(int index, const std::function<void()>& action);
  RunTotals Sum();
  Counts Count();

  std::unique_ptr<EventLoops> loops_;
  std::vector<std::unique_ptr<RunTotals>> totals_;
  std::vector<Place> places_;
  double seconds_ = 0;
};

}  // namespace apogee
