#include <chrono>

#include "env/clock.h"

namespace apogee {
namespace {

class MachineClock final : public Clock {
 public:
  std::int64_t WallMs() const override {
    using namespace std::chrono;
    return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
  }
  std::int64_t MonotonicNs() const override {
    using namespace std::chrono;
    return duration_cast<nanoseconds>(steady_clock::now().time_since_epoch()).count();
  }
};

}  // namespace

Clock& SystemClock() {
  static Clock& clock = *new MachineClock();
  return clock;
}

}  // namespace apogee
