// Stores that Apache's broker wrote: opened, compared with what Apache's own decoder read from
// them, closed, and verified by the independent checker.
#include <gmock/gmock.h>

#include <cstdlib>
#include <set>

#include "base/json.h"
#include "message/names.h"
#include "message/sys_flag.h"
#include "store/fake/store_fixture.h"

namespace apogee {
namespace {

const std::filesystem::path kRepository =
    std::filesystem::path(__FILE__).parent_path().parent_path().parent_path();

// Runs a command; its output goes into `output`.
int RunCommand(const std::string& command, std::string* output) {
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  AP_CHECK(pipe != nullptr);
  char buffer[4096];
  while (const std::size_t n = fread(buffer, 1, sizeof(buffer), pipe)) output->append(buffer, n);
  const int status = pclose(pipe);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// `but_index`: entries of the index that name a record that was cut stay until there is an index.
void ExpectClean(const std::string& root, bool but_index = false) {
  const std::filesystem::path checker = kRepository / "tools/store-check/check.py";
  std::string output;
  if (!std::filesystem::exists(checker) || RunCommand("python3 --version", &output) != 0) return;
  output.clear();
  const int status = RunCommand("python3 " + checker.string() + " " + root, &output);
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    const bool index = line.starts_with("damage: index/");
    if (line.starts_with("damage: ") && !(index && but_index)) ADD_FAILURE() << line;
    if (line.starts_with("torn tail")) ADD_FAILURE() << line;
  }
  EXPECT_TRUE(status == 0 || (status == 1 && but_index)) << output;
}

class GoldenStoreTest : public StoreTest, public testing::WithParamInterface<const char*> {
 protected:
  static constexpr std::int64_t kLaterMs = 1'796'000'000'000;  // Than any record in them.

  void SetUp() override {
    const std::filesystem::path golden = kRepository / "test/golden";
    const std::filesystem::path archive = golden / (std::string(GetParam()) + ".tar.xz");
    if (!std::filesystem::exists(archive)) GTEST_SKIP() << archive << " is not there";
    std::string output;
    ASSERT_EQ(RunCommand("tar -C " + directory_.path() + " -xf " + archive.string(), &output), 0)
        << output;
    root_ = directory_.path() + "/" + GetParam();
    clock_.SetWallMs(kLaterMs);
    ASSERT_EQ(RunCommand("xz -dc " +
                             (golden / (std::string(GetParam()) + ".expected.jsonl.xz")).string() +
                             " > " + directory_.path() + "/expected",
                         &output),
              0)
        << output;
  }

  // The log of these was cut below what their index knows.
  bool IsTorn() const {
    const std::string_view name = GetParam();
    return name.ends_with("torn") || name.ends_with("stale");
  }

  // The lines decoded from the log, by topic, queue and queue offset; such as have a simple queue.
  std::map<std::tuple<std::string, int, std::int64_t>, Json> Expected() {
    std::map<std::tuple<std::string, int, std::int64_t>, Json> expected;
    std::ifstream in(directory_.path() + "/expected");
    for (std::string line; std::getline(in, line);) {
      Json json = *Json::Parse(line);
      if (json["from"].ToText() != "log") continue;
      const auto sys_flag = static_cast<std::int32_t>(json["sysFlag"].ToInt());
      const std::string topic = json["topic"].ToText();
      if ((sys_flag & kSysFlagInnerBatch) != 0 || topic == "TopicInner") continue;
      expected[{topic, json["queueId"].ToInt(), json["queueOffset"].ToInt()}] = std::move(json);
    }
    return expected;
  }

  void ExpectAllServed() {
    const auto expected = Expected();
    ASSERT_GT(expected.size(), 2000U);
    std::map<QueueId, std::int64_t> ends;
    for (const auto& [key, json] : expected) {
      const auto& [topic, queue, offset] = key;
      std::vector<QueueEntry> entries;
      ASSERT_TRUE(store_->ReadEntries({topic, queue}, QueueOffset(offset), 1, &entries).ok());
      ASSERT_EQ(entries.size(), 1U) << topic << "/" << queue << " " << offset;
      EXPECT_EQ(entries[0].at.value(), json["physicalOffset"].ToInt());
      const auto record = store_->Read(entries[0]);
      ASSERT_TRUE(record.ok()) << topic << "/" << queue << " " << offset;
      const auto view = DecodeRecord(record->bytes, CrcCheck::kVerify);
      ASSERT_TRUE(view.ok()) << view.error().ToString();
      EXPECT_EQ(view->topic, topic);
      EXPECT_EQ(view->queue_id, queue);
      EXPECT_EQ(view->queue_offset.value(), offset);
      EXPECT_EQ(view->store_time_ms, json["storeTime"].ToInt());
      EXPECT_EQ(static_cast<std::int64_t>(view->bytes.size()), json["size"].ToInt());
      ends[{topic, queue}] = std::max(ends[{topic, queue}], offset + 1);
    }
    for (const auto& [id, end] : ends) {
      EXPECT_EQ(store_->Range(id)->max.value(), end) << id.topic << "/" << id.queue;
    }
    EXPECT_EQ(store_->Queues().size(), ends.size());
  }
};

TEST_P(GoldenStoreTest, ServesWhatApacheWroteAndLeavesItWhole) {
  Open();
  ExpectAllServed();
  ASSERT_TRUE(store_->Close().ok());
  ExpectClean(root_, IsTorn());
  Open();
  ExpectAllServed();
  // And goes on: new messages behind the old ones.
  const std::int64_t next = store_->Range({"TopicSingle", 2})->max.value();
  EXPECT_EQ(Append("TopicSingle", 2, "ours").queue_offset.value(), next);
  Append("TopicNew", 0, "ours");
  ASSERT_TRUE(store_->Close().ok());
  ExpectClean(root_, IsTorn());
}

TEST_P(GoldenStoreTest, RebuildsAllQueuesFromTheLog) {
  std::filesystem::remove_all(root_ + "/consumequeue");
  Open();
  ExpectAllServed();
  ASSERT_TRUE(store_->Close().ok());
  ExpectClean(root_, IsTorn());
}

TEST_P(GoldenStoreTest, SurvivesACrashOfOurOwnUponIt) {
  Open();
  for (int i = 0; i < 2000; ++i) Append("TopicSingle", 1, std::string(500, 'x'));
  Advance(20'000);
  workers_.RunAll();
  for (int i = 0; i < 500; ++i) Append("TopicMore", 1, std::string(500, 'x'));
  Crash();
  Open();
  EXPECT_EQ(Bodies("TopicMore", 1).size(), 500U);
  ASSERT_TRUE(store_->Close().ok());
  ExpectClean(root_, IsTorn());
}

INSTANTIATE_TEST_SUITE_P(All, GoldenStoreTest,
                         testing::Values("4.9.5-clean", "4.9.5-kill", "4.9.5-torn", "5.5.0-clean",
                                         "5.5.0-kill", "5.5.0-torn", "5.5.0-stale"),
                         [](const auto& golden) {
                           std::string name = golden.param;
                           for (char& c : name) {
                             if (c == '.' || c == '-') c = '_';
                           }
                           return name;
                         });

TEST_F(StoreTest, TheCheckerFindsNothingInOurOwnStores) {
  Open();
  for (int i = 0; i < 3000; ++i) {
    Append(i % 3 == 0 ? "A" : "B", i % 4, std::string(static_cast<std::size_t>(i % 300), 'x'));
  }
  ASSERT_TRUE(store_->Close().ok());
  ExpectClean(root_);
  Open();
  for (int i = 0; i < 1000; ++i) Append("A", i % 4, "after");
  Advance(20'000);
  workers_.RunAll();
  for (int i = 0; i < 100; ++i) Append("A", i % 4, "after");
  Crash();
  std::string output;
  ExpectClean(root_);
}

}  // namespace
}  // namespace apogee
