#include "env/fake/memory_file_system.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "env/fake/seeded_random.h"

namespace apogee {
namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAre;

class MemoryFileSystemTest : public testing::Test {
 protected:
  void CrashAndRestart(CrashMode mode, std::uint64_t seed = 1) {
    SeededRandom random(seed);
    fs_.Crash(mode, random);
    fs_.Restart();
  }
  std::string Read(const std::string& path) {
    auto content = fs_.ReadFile(path);
    return content.ok() ? *content : content.error().ToString();
  }
  // A file of `pages` pages that is on the disk, all zero.
  void MakeDurable(const std::string& path, std::int64_t pages) {
    ASSERT_TRUE((*fs_.Open(path, OpenMode::kCreateNew))->Allocate(pages * kMemoryPageBytes).ok());
    fs_.SyncAll();
  }

  MemoryFileSystem fs_;
};

TEST_F(MemoryFileSystemTest, TheDeathOfTheProcessLosesNothing) {
  ASSERT_TRUE((*fs_.Open("a", OpenMode::kCreateNew))->WriteAt(0, AsBytes("x")).ok());
  const auto mapped = *fs_.Map("m", 8192);
  mapped->data()[5000] = std::byte{9};
  CrashAndRestart(CrashMode::kProcess);
  EXPECT_EQ(Read("a"), "x");
  EXPECT_EQ(Read("m")[5000], 9);
  CrashAndRestart(CrashMode::kPowerLost);  // It was in the page cache alone.
  EXPECT_FALSE(fs_.Exists("a"));
}

TEST_F(MemoryFileSystemTest, APowerLossTakesWhatWasNotSynced) {
  MakeDurable("a", 2);
  const auto file = *fs_.Open("a", OpenMode::kExisting);
  ASSERT_TRUE(file->WriteAt(0, AsBytes("one")).ok());
  ASSERT_TRUE(file->Sync().ok());
  ASSERT_TRUE(file->WriteAt(0, AsBytes("two")).ok());
  CrashAndRestart(CrashMode::kPowerLost);
  EXPECT_EQ(Read("a").substr(0, 3), "one");
}

TEST_F(MemoryFileSystemTest, APowerLossMayComeRightAfterWriteback) {
  const auto file = *fs_.Open("a", OpenMode::kCreateNew);
  ASSERT_TRUE(file->WriteAt(0, AsBytes("two")).ok());
  CrashAndRestart(CrashMode::kPowerKept);
  EXPECT_EQ(Read("a"), "two");
}

TEST_F(MemoryFileSystemTest, MappedWritesAreUnsyncedUntilSynced) {
  MakeDurable("m", 2);
  const auto mapped = *fs_.Map("m", -1);
  mapped->data()[0] = std::byte{1};
  ASSERT_TRUE(mapped->Sync().ok());
  mapped->data()[kMemoryPageBytes] = std::byte{2};
  CrashAndRestart(CrashMode::kPowerLost);
  EXPECT_EQ(Read("m")[0], 1);
  EXPECT_EQ(Read("m")[kMemoryPageBytes], 0);
}

TEST_F(MemoryFileSystemTest, NamesNeedTheirFolderSynced) {
  ASSERT_TRUE(fs_.MakeDirectory("d").ok());
  fs_.SyncAll();
  ASSERT_TRUE(fs_.WriteFile("d/a", "x").ok());
  CrashAndRestart(CrashMode::kPowerLost);
  EXPECT_FALSE(fs_.Exists("d/a"));
  ASSERT_TRUE(fs_.WriteFile("d/a", "x").ok());
  ASSERT_TRUE(fs_.SyncDirectory("d").ok());
  ASSERT_TRUE(fs_.Remove("d/a").ok());
  CrashAndRestart(CrashMode::kPowerLost);
  EXPECT_EQ(Read("d/a"), "x") << "the removal was not synced either";
}

TEST_F(MemoryFileSystemTest, ASyncedFileInAnUnsyncedFolderIsLostWithIt) {
  ASSERT_TRUE(fs_.MakeDirectory("d").ok());
  ASSERT_TRUE(fs_.WriteFile("d/a", "x").ok());
  ASSERT_TRUE(fs_.SyncDirectory("d").ok());
  CrashAndRestart(CrashMode::kPowerLost);
  EXPECT_FALSE(fs_.Exists("d"));
}

TEST_F(MemoryFileSystemTest, ARenameIsThereOrNotButNeverHalf) {
  ASSERT_TRUE(fs_.WriteFile("t", "old").ok());
  fs_.SyncAll();
  std::set<std::string> seen;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    ASSERT_TRUE(fs_.WriteFile("t.new", "new").ok());
    ASSERT_TRUE(fs_.Rename("t.new", "t").ok());
    CrashAndRestart(CrashMode::kPowerTorn, seed);
    seen.insert(Read("t"));
    EXPECT_FALSE(Read("t") == "new" && fs_.Exists("t.new"));
    if (fs_.Exists("t.new")) {
      ASSERT_TRUE(fs_.Remove("t.new").ok());
    }
    ASSERT_TRUE(fs_.WriteFile("t", "old").ok());
    fs_.SyncAll();
  }
  EXPECT_THAT(seen, UnorderedElementsAre("old", "new"));
}

TEST_F(MemoryFileSystemTest, TornPagesAreEachOldNewOrMixed) {
  constexpr int kPages = 8;
  bool saw_old = false;
  bool saw_new = false;
  bool saw_torn = false;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const std::string name = "m" + std::to_string(seed);
    MakeDurable(name, kPages);
    const auto mapped = *fs_.Map(name, -1);
    std::memset(mapped->data(), 'n', kPages * kMemoryPageBytes);
    CrashAndRestart(CrashMode::kPowerTorn, seed);
    const std::string content = Read(name);
    ASSERT_EQ(content.size(), static_cast<std::size_t>(kPages * kMemoryPageBytes));
    for (int page = 0; page < kPages; ++page) {
      const std::string bytes = content.substr(page * kMemoryPageBytes, kMemoryPageBytes);
      const auto written = std::count(bytes.begin(), bytes.end(), 'n');
      saw_old |= written == 0;
      saw_new |= written == kMemoryPageBytes;
      saw_torn |= written != 0 && written != kMemoryPageBytes;
      EXPECT_EQ(bytes.find('\0') == std::string::npos ? kMemoryPageBytes : bytes.find('\0'),
                static_cast<std::size_t>(written))
          << "a torn page is a prefix of the new one";
    }
  }
  EXPECT_TRUE(saw_old && saw_new && saw_torn);
}

TEST_F(MemoryFileSystemTest, TheSameSeedTearsAlike) {
  const auto torn = [](std::uint64_t seed) {
    MemoryFileSystem fs;
    (void)(*fs.Open("a", OpenMode::kCreateNew))->Allocate(100 * kMemoryPageBytes);
    fs.SyncAll();
    const auto mapped = *fs.Map("a", -1);
    std::memset(mapped->data(), 'n', 100 * kMemoryPageBytes);
    SeededRandom random(seed);
    fs.Crash(CrashMode::kPowerTorn, random);
    fs.Restart();
    return *fs.ReadFile("a");
  };
  EXPECT_EQ(torn(5), torn(5));
  EXPECT_NE(torn(5), torn(6));
}

TEST_F(MemoryFileSystemTest, TheDeadProcessCannotReachTheNextOne) {
  ASSERT_TRUE(fs_.WriteFile("a", "x").ok());
  auto lock = *fs_.Lock("lock");
  const auto mapped = *fs_.Map("m", 4096);
  const auto file = *fs_.Open("a", OpenMode::kExisting);
  SeededRandom random(1);
  fs_.Crash(CrashMode::kProcess, random);
  EXPECT_EQ(fs_.Remove("a").error().code(), ErrorCode::kIo);
  EXPECT_EQ(file->WriteAt(0, AsBytes("y")).error().code(), ErrorCode::kIo);
  fs_.Restart();
  mapped->data()[0] = std::byte{1};
  EXPECT_FALSE(mapped->Sync().ok());
  EXPECT_FALSE(file->Sync().ok());
  EXPECT_EQ(Read("a"), "x");
  EXPECT_EQ(Read("m")[0], 0);
  const auto next = fs_.Lock("lock");
  ASSERT_TRUE(next.ok());
  lock.reset();
  EXPECT_EQ(fs_.Lock("lock").error().code(), ErrorCode::kUnavailable);
}

TEST_F(MemoryFileSystemTest, ADyingProcessGetsNoFurther) {
  const auto file = *fs_.Open("a", OpenMode::kCreateNew);
  fs_.DieAfter(1);
  ASSERT_TRUE(file->WriteAt(0, AsBytes("x")).ok());
  EXPECT_TRUE(fs_.is_dying());
  EXPECT_EQ(file->WriteAt(0, AsBytes("y")).error().code(), ErrorCode::kIo);
  EXPECT_EQ(fs_.SyncDirectory("/").error().code(), ErrorCode::kIo);
  CrashAndRestart(CrashMode::kProcess);
  EXPECT_EQ(Read("a"), "x");
}

TEST_F(MemoryFileSystemTest, SyncsFailWhenTold) {
  const auto mapped = *fs_.Map("m", 4096);
  const std::int64_t before = fs_.syncs();
  fs_.FailSyncsAfter(1);
  EXPECT_TRUE(mapped->Sync().ok());
  EXPECT_EQ(mapped->Sync().error().code(), ErrorCode::kIo);
  EXPECT_EQ(fs_.SyncDirectory("/").error().code(), ErrorCode::kIo);
  fs_.HealSyncs();
  EXPECT_TRUE(mapped->Sync().ok());
  EXPECT_EQ(fs_.syncs() - before, 4);
}

TEST_F(MemoryFileSystemTest, AFullDiskRefusesAndRemovalMakesRoom) {
  fs_.SetSpace(10'000);
  ASSERT_TRUE(fs_.Map("a", 8'000).ok());
  EXPECT_EQ(fs_.Map("b", 8'000).error().code(), ErrorCode::kDiskFull);
  EXPECT_FALSE(fs_.Exists("b"));
  const auto file = *fs_.Open("c", OpenMode::kCreateNew);
  EXPECT_EQ(file->Allocate(2'001).error().code(), ErrorCode::kDiskFull);
  EXPECT_EQ(file->WriteAt(2'000, AsBytes("x")).error().code(), ErrorCode::kDiskFull);
  EXPECT_TRUE(file->Allocate(2'000).ok());
  EXPECT_EQ(fs_.SpaceOf("/")->available, 0);
  ASSERT_TRUE(fs_.Remove("a").ok());
  EXPECT_EQ(fs_.SpaceOf("/")->available, 8'000);
}

TEST_F(MemoryFileSystemTest, ReadsCanBeCut) {
  ASSERT_TRUE(fs_.WriteFile("a", "x").ok());
  fs_.CutReadAfter(1);
  EXPECT_EQ(Read("a"), "x");
  EXPECT_EQ(fs_.ReadFile("a").error().code(), ErrorCode::kCorruption);
  EXPECT_EQ(Read("a"), "x");
}

}  // namespace
}  // namespace apogee
