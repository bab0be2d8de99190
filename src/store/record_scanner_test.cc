// What a power loss may leave of the last record, as seen by the next start.

#include "store/record_scanner.h"

#include <gtest/gtest.h>

#include <string>

#include "env/fake/manual_clock.h"
#include "env/fake/manual_workers.h"
#include "env/fake/memory_file_system.h"
#include "env/fake/seeded_random.h"
#include "store/message_store.h"

namespace apogee {
namespace {

constexpr std::string_view kLog = "/store/commitlog/00000000000000000000";

class TornRecordTest : public testing::Test {
 protected:
  void Open() {
    StoreOptions options;
    options.root = "/store";
    options.segment_bytes = 65'536;
    auto opened = MessageStore::Open(options, fs_, clock_, workers_);
    ASSERT_TRUE(opened.ok()) << opened.error().ToString();
    store_ = *std::move(opened);
  }
  LogOffset Append(std::string_view properties) {
    RecordFields message;
    message.topic = "orders";
    message.body = "body";
    message.properties = properties;
    const auto appended = store_->Append({&message, 1});
    EXPECT_TRUE(appended.ok());
    return appended->end;
  }
  // The process dies and the last `bytes` before `end` read as zeros.
  void CrashAndZero(LogOffset end, std::size_t bytes) {
    SeededRandom random(1);
    fs_.Crash(CrashMode::kProcess, random);
    store_.reset();
    fs_.Restart();
    const auto file = *fs_.Open(std::string(kLog), OpenMode::kExisting);
    ASSERT_TRUE(file->WriteAt(end.value() - static_cast<std::int64_t>(bytes),
                              AsBytes(std::string(bytes, '\0')))
                    .ok());
  }

  ManualClock clock_;
  ManualWorkers workers_;
  MemoryFileSystem fs_;
  std::unique_ptr<MessageStore> store_;
};

TEST_F(TornRecordTest, ARecordWhosePropertiesWereLostIsCut) {
  for (const std::size_t lost : {1U, 5U, 12U, 14U, 16U, 20U}) {
    (void)fs_.Remove("/store");
    Open();
    const LogOffset whole = Append("TAGS\1first\2");
    const LogOffset end = Append("TAGS\1second\2");  // 12 bytes behind a length of 2 and the topic.
    CrashAndZero(end, lost);
    Open();
    EXPECT_EQ(store_->tail(), whole) << lost << " bytes lost";
    store_.reset();
  }
}

TEST_F(TornRecordTest, ARecordWithoutPropertiesEndsInZeros) {
  Open();
  Append("TAGS\1first\2");
  const LogOffset end = Append("");
  CrashAndZero(end, 0);
  Open();
  EXPECT_EQ(store_->tail(), end);
}

TEST_F(TornRecordTest, APropertyMayEndInAZeroWhereARecordFollows) {
  using namespace std::string_literals;
  Open();
  Append("A\1b\0"s);
  const LogOffset end = Append("TAGS\1t\2");
  CrashAndZero(end, 0);
  Open();
  EXPECT_EQ(store_->tail(), end);
}

}  // namespace
}  // namespace apogee
