#include "sim/store_simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "message/properties.h"
#include "sim/store_checker.h"

namespace apogee::sim {
namespace {

constexpr std::string_view kRoot = "/disk/store";
constexpr std::string_view kPositions = "/disk/store/config/consumerOffset.json";
constexpr std::int64_t kPlenty = std::int64_t{1} << 40;

}  // namespace

StoreSimulation::StoreSimulation(std::uint64_t seed, const Options& options)
    : run_options_(options), random_(seed), positions_(std::string(kPositions), fs_, clock_) {
  (void)fs_.MakeDirectory(std::string(kRoot));
  fs_.SyncAll();
  options_.root = kRoot;
  options_.segment_bytes = std::int64_t{8192} << random_.Below(4);
  options_.queue_file_bytes = 20 * (std::int64_t{8} << (2 * random_.Below(4)));
  options_.message_bytes_max = static_cast<std::int32_t>(options_.segment_bytes);
  options_.flush_mode = Chance(60) ? FlushMode::kSync : FlushMode::kAsync;
}

StoreSimulation::~StoreSimulation() = default;

std::string StoreSimulation::Run(int steps) {
  std::string wrong = Open();
  for (step_ = 0; wrong.empty() && step_ < steps; ++step_) {
    wrong = Step();
    if (wrong.empty()) wrong = std::exchange(flush_complaint_, {});
  }
  if (wrong.empty()) wrong = StopCleanly();
  if (!wrong.empty()) {
    wrong = fmt::format("step {}: {} (segments of {}, queue files of {}, {})", step_, wrong,
                        options_.segment_bytes, options_.queue_file_bytes,
                        options_.flush_mode == FlushMode::kSync ? "SYNC_FLUSH" : "ASYNC_FLUSH");
  }
  return wrong;
}

std::string StoreSimulation::Step() {
  if (fs_.is_dying()) return Crash(SomeCrash());
  const std::uint64_t what = random_.Below(1000);
  if (what < 450) return Send();
  if (what < 700) return Read();
  if (what < 740) return CommitPosition();
  if (what < 880) return RunWorker();
  if (what < 930) return PassTime();
  if (what < 945) return run_options_.deletes ? DeleteTopic() : Send();
  if (what < 965) return ChangeDisk();
  if (what < 970) return StopCleanly();
  if (what < 975) {
    fs_.DieAfter(static_cast<std::int64_t>(random_.Below(12)));
    return {};
  }
  return Crash(SomeCrash());
}

QueueId StoreSimulation::SomeQueue() {
  const std::uint64_t topic = random_.Below(8);
  if (topic == 0) return {"%RETRY%" + std::string(200, 'g'), 0};  // Version 2 records.
  if (topic <= 2) return {"small", static_cast<std::int32_t>(random_.Below(16))};
  return {"busy", static_cast<std::int32_t>(random_.Below(2))};
}

std::string StoreSimulation::Send() {
  const QueueId queue = SomeQueue();
  const std::size_t count = Chance(25) ? 1 + random_.Below(6) : 1;
  std::vector<std::string> bodies;
  std::vector<std::string> properties;
  std::vector<std::int64_t> ids;
  for (std::size_t i = 0; i < count; ++i) {
    ids.push_back(next_id_++);
    const std::uint64_t most = Chance(5) ? options_.segment_bytes / 2 : 300;
    bodies.push_back(fmt::format("{}:", ids.back()) +
                     std::string(random_.Below(most), static_cast<char>('a' + i)));
    properties.emplace_back();
    if (Chance(70)) AppendProperty(properties.back(), "TAGS", fmt::format("t{}", random_.Below(4)));
  }
  std::vector<RecordFields> messages(count);
  for (std::size_t i = 0; i < count; ++i) {
    messages[i].topic = queue.topic;
    messages[i].queue_id = queue.queue;
    messages[i].born_time_ms = clock_.WallMs();
    messages[i].body = bodies[i];
    messages[i].properties = properties[i];
    messages[i].born_host.v6 = i % 2 == 1;
  }
  const bool was_dying = fs_.is_dying();
  const Result<Appended> appended = store_->Append(messages);
  if (!appended.ok()) {
    const ErrorCode code = appended.error().code();
    Note("send refused: " + appended.error().ToString());
    const bool expected = code == ErrorCode::kInvalidArgument || code == ErrorCode::kDiskFull ||
                          sync_fails_ || was_dying || fs_.is_dying();
    return expected ? "" : "a send was refused: " + appended.error().ToString();
  }
  if (std::string wrong = model_.Append(messages, ids, *appended); !wrong.empty()) return wrong;
  Note(fmt::format("sent {}..{} to {}/{} at {}..{}", ids.front(), ids.back(), queue.topic,
                   queue.queue, appended->log_offset.value(), appended->end.value()));
  return AwaitFlush(appended->end, std::move(ids));
}

std::string StoreSimulation::AwaitFlush(LogOffset end, std::vector<std::int64_t> ids) {
  if (!store_->flush_required() || Chance(20)) return {};
  store_->AwaitFlushed(end, [this, end, ids = std::move(ids)](Durability reached) {
    if (reached != Durability::kFlushed || store_ == nullptr) return;
    if (store_->flushed() < end) flush_complaint_ = "told of a flush that has not come so far";
    for (const std::int64_t id : ids) model_.Acknowledge(id);
  });
  return {};
}

std::string StoreSimulation::Read() {
  if (fs_.is_dying()) return {};
  const QueueId queue = SomeQueue();
  const auto size = model_.Queue(queue).size();
  const QueueOffset from(static_cast<std::int64_t>(random_.Below(size + 3)) - 1);
  std::string wrong =
      CheckPull(*store_, model_, queue, from, static_cast<std::int32_t>(random_.Below(40)));
  if (wrong.empty()) wrong = CheckReadAt(*store_, model_, random_);
  if (wrong.empty()) {
    const std::int64_t back = static_cast<std::int64_t>(random_.Below(30'000)) - 10;
    wrong = CheckTimes(*store_, model_, queue, clock_.WallMs() - back);
  }
  return fs_.is_dying() ? "" : wrong;  // Reads may end in the middle of dying.
}

std::string StoreSimulation::CommitPosition() {
  if (Chance(20)) {
    positions_.Persist();
  } else {
    const QueueId queue = SomeQueue();
    const auto range = store_->Range(queue);
    if (range) positions_.Commit(queue, range->max.value(), random_);
  }
  return {};
}

std::string StoreSimulation::RunWorker() {
  const std::vector<std::string> names = workers_.Names();
  const std::string& name = names[random_.Below(names.size())];
  Note("step of " + name);
  workers_.RunOnce(name);
  return {};
}

std::string StoreSimulation::PassTime() {
  clock_.Advance(std::chrono::milliseconds(random_.Below(Chance(30) ? 15'000 : 300)));
  return {};
}

std::string StoreSimulation::DeleteTopic() {
  if (Chance(50) || sync_fails_) return {};
  const std::string topic = SomeQueue().topic;
  const Status deleted = store_->DeleteTopic(topic);
  if (!deleted.ok()) {
    // Half done: what is left of it is told by the next start alone.
    if (deleted.error().code() != ErrorCode::kDiskFull && !fs_.is_dying()) {
      return "a topic could not be deleted: " + deleted.error().ToString();
    }
    return {};
  }
  Note("deleted " + topic);
  model_.DeleteTopic(topic);
  return {};
}

std::string StoreSimulation::ChangeDisk() {
  if (Chance(70)) {
    const auto space = fs_.SpaceOf("/");
    const std::int64_t used = space.ok() ? space->total - space->available : 0;
    fs_.SetSpace(Chance(50) ? kPlenty : used + static_cast<std::int64_t>(random_.Below(20'000)));
  } else if (Chance(20)) {
    Note("syncs fail");
    fs_.FailSyncsAfter(static_cast<std::int64_t>(random_.Below(5)));
    sync_fails_ = true;
  }
  return {};
}

CrashMode StoreSimulation::SomeCrash() {
  switch (random_.Below(6)) {
    case 0:
      return CrashMode::kPowerLost;
    case 1:
      return CrashMode::kPowerKept;
    case 2:
    case 3:
      return CrashMode::kPowerTorn;
    default:
      return CrashMode::kProcess;
  }
}

std::string StoreSimulation::StopCleanly() {
  if (fs_.is_dying()) return Crash(CrashMode::kProcess);
  fs_.SetSpace(kPlenty);
  const Status closed = store_->Close();
  if (!closed.ok()) {
    if (sync_fails_ || fs_.is_dying()) return Crash(SomeCrash());
    return "a clean stop failed: " + closed.error().ToString();
  }
  Note("stopped");
  if (std::string wrong = std::exchange(flush_complaint_, {}); !wrong.empty()) return wrong;
  seen_end_ = durable_end_ = store_->tail();
  store_.reset();
  // Whatever happens to the machine now, it has been written.
  if (Chance(50)) {
    const CrashMode mode = SomeCrash();
    Note(fmt::format("crash {} after the stop", static_cast<int>(mode)));
    fs_.Crash(mode, random_);
    fs_.Restart();
  }
  sync_fails_ = false;
  fs_.HealSyncs();
  return Open();
}

std::string StoreSimulation::Crash(CrashMode mode) {
  seen_end_ = store_->tail();
  durable_end_ = store_->flushed();
  power_failed_ = mode != CrashMode::kProcess;
  Note(fmt::format("crash {} with tail {}, flushed {}", static_cast<int>(mode),
                   store_->tail().value(), store_->flushed().value()));
  fs_.Crash(mode, random_);
  store_.reset();
  fs_.Restart();
  fs_.SetSpace(kPlenty);
  fs_.HealSyncs();
  sync_fails_ = false;
  return Open();
}

std::string StoreSimulation::Open() {
  while (true) {
    if (Chance(15)) fs_.DieAfter(static_cast<std::int64_t>(random_.Below(60)));
    auto opened = MessageStore::Open(options_, fs_, clock_, workers_);
    if (opened.ok()) {
      store_ = *std::move(opened);
      break;
    }
    if (!fs_.is_dying()) return "the store does not open: " + opened.error().ToString();
    const CrashMode mode = SomeCrash();
    Note(fmt::format("crash {} while opening", static_cast<int>(mode)));
    power_failed_ = power_failed_ || mode != CrashMode::kProcess;
    fs_.Crash(mode, random_);
    fs_.Restart();
  }
  if (!fs_.is_dying()) fs_.DieAfter(-1);
  return AfterOpen();
}

std::string StoreSimulation::AfterOpen() {
  const LogOffset required = power_failed_ ? durable_end_ : seen_end_;
  const LogOffset tail = store_->tail();
  Note(fmt::format("opened with tail {}, at least {} required", tail.value(), required.value()));
  power_failed_ = false;
  if (tail > seen_end_ + options_.segment_bytes) return "the log grew over a crash";
  if (const auto lost = model_.Truncate(tail, required)) {
    return fmt::format("message {} at log {}..{} was {} and is lost, the log ends at {}", lost->id,
                       lost->at.value(), lost->end.value(),
                       lost->acknowledged ? "acknowledged" : "flushed or only the process died",
                       tail.value());
  }
  std::string wrong = positions_.Start(fs_.is_dying());
  if (!wrong.empty() || fs_.is_dying()) return fs_.is_dying() ? "" : wrong;
  wrong = CheckAll(*store_, model_);
  return fs_.is_dying() ? "" : wrong;
}

void StoreSimulation::Note(const std::string& what) {
  if (run_options_.verbose) std::fprintf(stderr, "%5d %s\n", step_, what.c_str());
}

}  // namespace apogee::sim
