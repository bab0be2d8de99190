#include "net/event_loop.h"

#include <atomic>
#include <string>

#include "base/check.h"
#include "net/asio_loop.h"

namespace apogee {
namespace {

class AsioLoops final : public EventLoops {
 public:
  explicit AsioLoops(int count) {
    AP_CHECK(count > 0);
    for (int i = 0; i < count; ++i) {
      loops_.push_back(std::make_unique<AsioLoop>("io/" + std::to_string(i)));
    }
  }
  ~AsioLoops() override { StopLoops(); }

  int count() const override { return static_cast<int>(loops_.size()); }
  EventLoop& at(int index) override { return *loops_.at(static_cast<std::size_t>(index)); }
  EventLoop& Next() override {
    return *loops_[next_.fetch_add(1, std::memory_order_relaxed) % loops_.size()];
  }
  void Stop() override { StopLoops(); }

 private:
  void StopLoops() {
    for (const auto& loop : loops_) loop->BeginStop();
    for (const auto& loop : loops_) loop->Join();
  }

  std::vector<std::unique_ptr<AsioLoop>> loops_;  // Constant after construction.
  std::atomic<std::size_t> next_{0};
};

}  // namespace

std::unique_ptr<EventLoops> EventLoops::Start(int count) {
  return std::make_unique<AsioLoops>(count);
}

}  // namespace apogee
