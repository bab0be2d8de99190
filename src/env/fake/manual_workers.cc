#include "env/fake/manual_workers.h"

#include <utility>

#include "base/check.h"

namespace apogee {

class ManualWorkers::Handle final : public Worker {
 public:
  explicit Handle(std::shared_ptr<Slot> slot) : slot_(std::move(slot)) {}
  ~Handle() override {
    AP_CHECK(!slot_->running);  // A real worker would wait for its own step for ever.
    slot_->ended = true;
    slot_->step = nullptr;  // Frees what the step holds, as the end of a thread does.
  }
  void Wake() override { slot_->woken = true; }

 private:
  const std::shared_ptr<Slot> slot_;
};

std::unique_ptr<Worker> ManualWorkers::Start(const std::string& name, Step step) {
  auto slot = std::make_shared<Slot>();
  slot->name = name;
  slot->step = std::move(step);
  {
    const MutexLock lock(mu_);
    slots_.push_back(slot);
  }
  return std::make_unique<Handle>(std::move(slot));
}

bool ManualWorkers::RunOnce(std::string_view name) {
  const auto slot = Find(name);
  if (slot == nullptr) return false;
  Run(*slot);
  return true;
}

void ManualWorkers::RunAll() {
  for (const auto& slot : Living()) {
    if (!slot->ended) Run(*slot);
  }
}

bool ManualWorkers::RunRandom(Random& random) {
  const auto living = Living();
  if (living.empty()) return false;
  Run(*living[random.Below(living.size())]);
  return true;
}

int ManualWorkers::RunWoken(int steps_max) {
  int steps = 0;
  for (bool any = true; any;) {
    any = false;
    for (const auto& slot : Living()) {
      if (steps >= steps_max) return steps;
      if (slot->ended || !slot->woken) continue;
      Run(*slot);
      ++steps;
      any = true;
    }
  }
  return steps;
}

std::vector<std::string> ManualWorkers::Names() const {
  std::vector<std::string> names;
  for (const auto& slot : Living()) names.push_back(slot->name);
  return names;
}

bool ManualWorkers::IsWoken(std::string_view name) const {
  const auto slot = Find(name);
  return slot != nullptr && slot->woken;
}

Workers::Wait ManualWorkers::LastWait(std::string_view name) const {
  const auto slot = Find(name);
  return slot != nullptr ? slot->last_wait : kUntilWoken;
}

std::vector<std::shared_ptr<ManualWorkers::Slot>> ManualWorkers::Living() const {
  const MutexLock lock(mu_);
  std::erase_if(slots_, [](const auto& slot) { return slot->ended.load(); });
  return slots_;
}

std::shared_ptr<ManualWorkers::Slot> ManualWorkers::Find(std::string_view name) const {
  for (auto& slot : Living()) {
    if (slot->name == name) return slot;
  }
  return nullptr;
}

void ManualWorkers::Run(Slot& slot) {
  AP_CHECK(!slot.running);  // A step that runs its own worker would never be seen with threads.
  slot.running = true;
  slot.woken = false;
  slot.last_wait = slot.step();
  slot.running = false;
}

}  // namespace apogee
