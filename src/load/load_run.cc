#include "load/load_run.h"

#include <algorithm>
#include <future>
#include <utility>

#include "env/clock.h"
#include "load/report.h"

namespace apogee {
namespace {

constexpr std::int64_t kNanosPerMilli = 1'000'000;
constexpr std::chrono::milliseconds kPoll{20};
constexpr std::int64_t kProgressNs = 1'000'000'000;
// So that all have begun before the first send is due.
constexpr std::int64_t kLeadNs = 5 * kNanosPerMilli;

}  // namespace

void RunTotals::Add(const RunTotals& other) {
  sent.Add(other.sent);
  received.Add(other.received);
  last_ns = std::max(last_ns, other.last_ns);
}

LoadRun::LoadRun(int threads) : loops_(EventLoops::Start(threads)) {
  for (int i = 0; i < threads; ++i) totals_.push_back(std::make_unique<RunTotals>());
}

LoadRun::~LoadRun() {
  loops_->Stop();
  places_.clear();
}

void LoadRun::Add(int index, std::shared_ptr<Participant> participant) {
  places_.push_back({index, std::move(participant)});
}

void LoadRun::OnLoop(int index, const std::function<void()>& action) {
  std::promise<void> done;
  loops_->at(index).Post([&] {
    action();
    done.set_value();
  });
  done.get_future().wait();
}

Status LoadRun::Connect() {
  std::vector<std::future<Status>> waiting;
  for (const Place& place : places_) {
    auto promise = std::make_shared<std::promise<Status>>();
    waiting.push_back(promise->get_future());
    place.participant->Connect([promise](Status status) { promise->set_value(std::move(status)); });
  }
  Status status = Ok();
  for (std::future<Status>& one : waiting) {
    Status next = one.get();
    if (status.ok()) status = std::move(next);
  }
  return status;
}

RunTotals LoadRun::Sum() {
  RunTotals sum;
  for (int i = 0; i < threads(); ++i) {
    OnLoop(i, [&] { sum.Add(totals(i)); });
  }
  return sum;
}

LoadRun::Counts LoadRun::Count() {
  Counts counts;
  for (int i = 0; i < threads(); ++i) {
    OnLoop(i, [&] {
      counts.sent += totals(i).sent.completed;
      counts.received += totals(i).received.completed;
      for (const Place& place : places_) {
        if (place.loop == i && !place.participant->done()) counts.all_done = false;
      }
    });
  }
  return counts;
}

RunTotals LoadRun::Go(const Course& course) {
  Clock& clock = SystemClock();
  const std::int64_t start = clock.MonotonicNs() + kLeadNs;
  const std::int64_t end = start + course.duration.count() * kNanosPerMilli;
  const std::int64_t limit = end + course.grace.count() * kNanosPerMilli;
  for (const Place& place : places_) {
    loops_->at(place.loop).Post([participant = place.participant, start, end] {
      participant->Begin(start, end);
    });
  }

  std::int64_t told_ns = start;
  std::int64_t told_count = 0;
  for (;;) {
    std::promise<void> passed;
    loops_->at(0).RunAfter(kPoll, [&passed] { passed.set_value(); });
    passed.get_future().wait();
    const std::int64_t now = clock.MonotonicNs();
    const Counts counts = Count();
    if (now - told_ns >= kProgressNs) {
      const RunTotals sum = Sum();
      const Totals& shown = sum.*course.shown;
      PrintProgress(course.what, shown, told_count, static_cast<double>(now - told_ns) / 1e9);
      told_ns = now;
      told_count = shown.completed;
    }
    if (course.finished ? course.finished(counts) : counts.all_done) break;
    if (now >= limit) break;
  }
  for (const Place& place : places_) {
    OnLoop(place.loop, [&] { place.participant->End(); });
  }
  RunTotals sum = Sum();
  seconds_ = static_cast<double>(std::max<std::int64_t>(sum.last_ns - start, 0)) / 1e9;
  return sum;
}

}  // namespace apogee
