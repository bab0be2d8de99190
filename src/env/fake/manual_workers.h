#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "env/random.h"
#include "env/workers.h"

namespace apogee {

// Workers without threads: a test or the simulator runs the steps, on its own thread and in the
// order it likes; what a step asks to wait for is recorded and not waited for. Not even the first
// step runs by itself. Wake: any thread; everything else: one at a time.
class ManualWorkers final : public Workers {
 public:
  std::unique_ptr<Worker> Start(const std::string& name, Step step) override;

  // Runs one step of the oldest worker called `name`; false when there is none.
  bool RunOnce(std::string_view name);
  // One step of each worker that lives at the call, in the order of their start.
  void RunAll();
  // One step of a worker that chance picks; false when there is none.
  bool RunRandom(Random& random);
  // Steps of those that were woken (or just started), until nobody is or `steps_max` ran. Returns
  // the number of steps.
  int RunWoken(int steps_max = 1000);

  std::vector<std::string> Names() const;
  bool IsWoken(std::string_view name) const;
  // What the last step of `name` returned; kUntilWoken before the first.
  Wait LastWait(std::string_view name) const;

 private:
  class Handle;
  struct Slot {
    std::string name;
    Step step;
    std::atomic<bool> woken{true};
    std::atomic<bool> ended{false};
    bool running = false;
    Wait last_wait = kUntilWoken;
  };

  std::vector<std::shared_ptr<Slot>> Living() const;
  std::shared_ptr<Slot> Find(std::string_view name) const;
  static void Run(Slot& slot);

  mutable Mutex mu_;
  mutable std::vector<std::shared_ptr<Slot>> slots_ AP_GUARDED_BY(mu_);
};

}  // namespace apogee
