// Senders and pullers against a server of the test's own on loopback.
#include "load/load_run.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "env/clock.h"
#include "load/process_cpu.h"
#include "load/puller.h"
#include "load/report.h"
#include "load/sender.h"
#include "message/record.h"
#include "protocol/pull_header.h"
#include "protocol/request_code.h"
#include "protocol/response_code.h"
#include "remoting/server.h"

namespace apogee {
namespace {

using std::chrono::milliseconds;

// Answers sends, after `stall` has passed once; answers a pull with `records_a_pull` stamped
// records of the run, as long as there are any.
class Partner final : public RequestHandler {
 public:
  void Handle(const Request& request, Responder responder) override {
    if (request.command.code == RequestCode::kPullMessage) {
      AnswerPull(request, std::move(responder));
      return;
    }
    if (request.command.code != RequestCode::kSendMessageV2) {
      responder.Send(Reply::Of(ResponseCode::kSuccess));
      return;
    }
    const int number = ++sends;
    if (number == stall_at) {
      const std::int64_t until = SystemClock().MonotonicNs() + stall_ns;
      while (SystemClock().MonotonicNs() < until) {
      }
    }
    responder.Send(Reply::Of(number % 10 == fail_each_tenth ? ResponseCode::kSystemBusy
                                                            : ResponseCode::kSuccess));
  }
  void OnChannelClosed(const std::shared_ptr<Channel>&) override {}

  std::atomic<int> sends{0};
  int fail_each_tenth = -1;
  int stall_at = -1;
  std::int64_t stall_ns = 0;
  std::int64_t records = 0;
  std::uint64_t stamp = 0;

 private:
  void AnswerPull(const Request& request, Responder responder) {
    const auto pull = PullHeader::FromFields(request.command.fields);
    ASSERT_TRUE(pull.ok());
    Reply reply;
    PullResponseHeader header;
    if (pull->queue_offset >= records) {
      held_.push_back(std::move(responder));  // As a long poll that nothing ends.
      return;
    }
    std::string body(BodyStamp::kBytes, 0);
    StoreBigEndian(body.data(), stamp);
    StoreBigEndian(body.data() + 8, SystemClock().MonotonicNs());
    RecordFields record;
    record.topic = pull->topic;
    record.body = body;
    header.next_begin_offset = pull->queue_offset;
    for (int i = 0; i < 10 && header.next_begin_offset < records; ++i) {
      const auto bytes = static_cast<std::size_t>(*EncodedRecordBytes(record));
      reply.body.resize(reply.body.size() + bytes);
      EncodeRecord(record, QueueOffset(header.next_begin_offset), LogOffset(0), 1,
                   reply.body.data() + reply.body.size() - bytes);
      ++header.next_begin_offset;
    }
    header.AddTo(&reply.fields);
    responder.Send(std::move(reply));
  }

  std::vector<Responder> held_;  // On the only loop.
};

class LoadRunTest : public ::testing::Test {
 protected:
  LoadRunTest() {
    auto opened = RemotingServer::Open({.name = "test", .address = "127.0.0.1"}, *loops_,
                                       SystemClock(), partner_);
    EXPECT_TRUE(opened.ok());
    server_ = std::move(*opened);
  }

  void AddSender(LoadRun& run, Sender::Plan plan) {
    plan.target = {"127.0.0.1", server_->port()};
    run.Add(0, std::make_shared<Sender>(
                   run.loop(0), std::move(plan),
                   SendFrames({{"t", 0}}, 100, HeaderForm::kJson, "broker", 1, 1), run.totals(0)));
  }

  Partner partner_;
  std::unique_ptr<EventLoops> loops_ = EventLoops::Start(1);
  std::unique_ptr<RemotingServer> server_;
};

TEST_F(LoadRunTest, AClosedLoopSendsItsQuotaAndNoMore) {
  LoadRun run(1);
  AddSender(run, {.in_flight = 8, .quota = 1000});
  AddSender(run, {.in_flight = 1, .quota = 10});
  ASSERT_TRUE(run.Connect().ok());
  const RunTotals totals = run.Go({.what = "test", .duration = milliseconds(20'000)});
  EXPECT_EQ(totals.sent.completed, 1010);
  EXPECT_EQ(totals.sent.latency.count(), 1010);
  EXPECT_EQ(totals.sent.error_count(), 0);
  EXPECT_EQ(partner_.sends, 1010);
  EXPECT_GT(run.seconds(), 0);
}

TEST_F(LoadRunTest, FailuresAreCountedByCodeAndNotAsSuccess) {
  partner_.fail_each_tenth = 0;
  LoadRun run(1);
  AddSender(run, {.in_flight = 4, .quota = 1000});
  ASSERT_TRUE(run.Connect().ok());
  const RunTotals totals = run.Go({.what = "test", .duration = milliseconds(20'000)});
  EXPECT_EQ(totals.sent.completed, 900);
  EXPECT_EQ(totals.sent.errors.at(ResponseCode::kSystemBusy), 100);
}

TEST_F(LoadRunTest, AnOpenLoopKeepsItsRate) {
  LoadRun run(1);
  AddSender(run, {.in_flight = 100, .interval_ns = 1e6});  // 1000 a second.
  ASSERT_TRUE(run.Connect().ok());
  const RunTotals totals = run.Go({.what = "test", .duration = milliseconds(500)});
  EXPECT_EQ(totals.sent.completed, 500);
}

// What a server does to the requests that wait behind a stall must show, though they are sent late.
TEST_F(LoadRunTest, AStallShowsInEveryRequestThatWasDueMeanwhile) {
  partner_.stall_at = 100;
  partner_.stall_ns = 300'000'000;
  LoadRun run(1);
  AddSender(run, {.in_flight = 1, .interval_ns = 1e6});
  ASSERT_TRUE(run.Connect().ok());
  const RunTotals totals = run.Go({.what = "test", .duration = milliseconds(1000)});
  EXPECT_EQ(totals.sent.completed, 1000);
  // Some 300 of 1000 were due during the stall, on average in its middle. A generator that counts
  // from its own sends would show a single slow one.
  EXPECT_GE(totals.sent.latency.max(), 290'000'000);
  EXPECT_GE(totals.sent.latency.Percentile(80), 50'000'000);
}

TEST_F(LoadRunTest, RequestsWithoutAnswerAreFailures) {
  LoadRun run(1);
  AddSender(run, {.in_flight = 3});
  ASSERT_TRUE(run.Connect().ok());
  // The server hangs beyond the end of the run.
  loops_->at(0).RunAfter(milliseconds(50), [] {
    const std::int64_t until = SystemClock().MonotonicNs() + 1'500'000'000;
    while (SystemClock().MonotonicNs() < until) {
    }
  });
  const RunTotals totals =
      run.Go({.what = "test", .duration = milliseconds(300), .grace = milliseconds(200)});
  EXPECT_EQ(totals.sent.errors.at(kErrorNoAnswer), 3);
}

TEST_F(LoadRunTest, NobodyThereIsAnErrorBeforeTheStart) {
  const std::uint16_t port = server_->port();
  server_.reset();
  LoadRun run(1);
  run.Add(0, std::make_shared<Sender>(run.loop(0), Sender::Plan{.target = {"127.0.0.1", port}},
                                      SendFrames({{"t", 0}}, 100, HeaderForm::kJson, "b", 1, 1),
                                      run.totals(0)));
  EXPECT_FALSE(run.Connect().ok());
}

TEST_F(LoadRunTest, APullerReadsEachQueueToItsEndAndCountsTheRunsMessages) {
  partner_.records = 95;
  partner_.stamp = 7;
  LoadRun run(1);
  Puller::Plan plan;
  plan.target = {"127.0.0.1", server_->port()};
  plan.group = "g";
  plan.run = 7;
  plan.sources = {{{"t", 0}, 0}, {{"t", 1}, 90}};
  run.Add(0, std::make_shared<Puller>(run.loop(0), plan, run.totals(0)));
  ASSERT_TRUE(run.Connect().ok());
  LoadRun::Course course;
  course.what = "test";
  course.duration = milliseconds(20'000);
  course.shown = &RunTotals::received;
  course.finished = [](const LoadRun::Counts& counts) { return counts.received >= 100; };
  const RunTotals totals = run.Go(course);
  EXPECT_EQ(totals.received.completed, 100);
  EXPECT_EQ(totals.received.latency.count(), 100);
  EXPECT_EQ(totals.received.error_count(), 0);
}

TEST(RunResult, TellsTheSameAsTextAndAsJson) {
  RunResult result;
  result.what = "send";
  result.latency = "send to answer";
  result.seconds = 2;
  result.totals.completed = 4000;
  for (int i = 1; i <= 1000; ++i) result.totals.latency.Record(i * 1000);
  result.totals.errors[14] = 3;
  result.totals.errors[kErrorNoAnswer] = 1;
  result.server_cpu = 0.01;
  const Json json = result.ToJson();
  EXPECT_EQ(json["perSecond"].ToInt(), 2000);
  EXPECT_NEAR(json["latencyMicros"]["p50"].ToDouble(), 500, 1);
  EXPECT_NEAR(json["latencyMicros"]["p99.9"].ToDouble(), 999, 1);
  EXPECT_EQ(json["errors"]["14"].ToInt(), 3);
  EXPECT_EQ(json["errors"]["no answer"].ToInt(), 1);
  EXPECT_NEAR(json["serverCpuSecondsPerMillion"].ToDouble(), 2.5, 1e-9);
  const std::string text = result.ToText();
  EXPECT_NE(text.find("2000/s"), std::string::npos);
  EXPECT_NE(text.find("errors, 14: 3"), std::string::npos);
  EXPECT_NE(text.find("2.50 s per million"), std::string::npos);
}

TEST(ProcessCpu, GrowsWithWorkAndKnowsOnlyLiveProcesses) {
  const auto before = ProcessCpuSeconds(::getpid());
  ASSERT_TRUE(before.has_value());
  const double own_before = OwnCpuSeconds();
  while (OwnCpuSeconds() < own_before + 0.05) {
  }
  EXPECT_GE(*ProcessCpuSeconds(::getpid()), *before + 0.03);
  EXPECT_FALSE(ProcessCpuSeconds(INT32_MAX).has_value());
}

}  // namespace
}  // namespace apogee
