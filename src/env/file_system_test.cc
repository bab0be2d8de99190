// What the machine's file system and the one in memory must both do.

#include "env/file_system.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "env/fake/memory_file_system.h"

namespace apogee {
namespace {

using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;

enum class Kind { kMachine, kMemory };

class FileSystemTest : public testing::TestWithParam<Kind> {
 protected:
  FileSystemTest() {
    if (GetParam() == Kind::kMachine) {
      std::string made = testing::TempDir() + "apogee-files-XXXXXX";
      root_ = mkdtemp(made.data());
    } else {
      root_ = "/root";
      EXPECT_TRUE(memory_.MakeDirectory(root_).ok());
    }
  }
  ~FileSystemTest() override {
    if (GetParam() == Kind::kMachine) std::filesystem::remove_all(root_);
  }

  FileSystem& fs() {
    if (GetParam() == Kind::kMachine) return SystemFileSystem();
    return memory_;
  }
  std::string Path(const std::string& name) const { return root_ + "/" + name; }
  std::string Read(const std::string& name) {
    auto content = fs().ReadFile(Path(name));
    return content.ok() ? *content : content.error().ToString();
  }
  std::vector<std::string> Names(const std::string& directory) {
    std::vector<std::string> names;
    const auto entries = fs().List(directory);
    if (!entries.ok()) return {entries.error().ToString()};
    for (const DirectoryEntry& entry : *entries) names.push_back(entry.name);
    return names;
  }

  MemoryFileSystem memory_;
  std::string root_;
};

TEST_P(FileSystemTest, OpenModes) {
  EXPECT_EQ(fs().Open(Path("a"), OpenMode::kExisting).error().code(), ErrorCode::kNotFound);
  EXPECT_EQ(fs().Open(Path("x/a"), OpenMode::kCreateNew).error().code(), ErrorCode::kNotFound);
  EXPECT_TRUE(fs().Open(Path("a"), OpenMode::kCreateNew).ok());
  EXPECT_EQ(fs().Open(Path("a"), OpenMode::kCreateNew).error().code(), ErrorCode::kAlreadyExists);
  EXPECT_TRUE(fs().Open(Path("a"), OpenMode::kExisting).ok());
  EXPECT_TRUE(fs().Open(Path("a"), OpenMode::kCreateOrOpen).ok());
}

TEST_P(FileSystemTest, ReadsAndWritesAtPositions) {
  const auto file = *fs().Open(Path("a"), OpenMode::kCreateNew);
  ASSERT_TRUE(file->WriteAt(3, AsBytes("def")).ok());
  ASSERT_TRUE(file->WriteAt(0, AsBytes("abc")).ok());
  EXPECT_EQ(*file->Size(), 6);
  char bytes[4];
  ASSERT_TRUE(file->ReadAt(2, std::as_writable_bytes(std::span(bytes))).ok());
  EXPECT_EQ(std::string_view(bytes, 4), "cdef");
  EXPECT_EQ(file->ReadAt(3, std::as_writable_bytes(std::span(bytes))).error().code(),
            ErrorCode::kCorruption);
  ASSERT_TRUE(file->Truncate(2).ok());
  ASSERT_TRUE(file->Truncate(4).ok());
  EXPECT_EQ(Read("a"), std::string("ab\0\0", 4));
  EXPECT_TRUE(file->Sync().ok());
}

TEST_P(FileSystemTest, AllocateGrowsWithZeroesAndNeverShrinks) {
  const auto file = *fs().Open(Path("a"), OpenMode::kCreateNew);
  ASSERT_TRUE(file->WriteAt(0, AsBytes("x")).ok());
  ASSERT_TRUE(file->Allocate(10'000).ok());
  EXPECT_EQ(*file->Size(), 10'000);
  ASSERT_TRUE(file->Allocate(10).ok());
  EXPECT_EQ(Read("a"), "x" + std::string(9'999, '\0'));
}

TEST_P(FileSystemTest, MappedWritesAreSeenByReadersOfTheFile) {
  const auto mapped = *fs().Map(Path("m"), 20'000);
  ASSERT_EQ(mapped->size(), 20'000);
  mapped->Prefault(0, 20'000);
  mapped->Prefault(-5, 1'000'000);
  mapped->Prefault(19'999, 1);
  std::memcpy(mapped->data() + 9'000, "hello", 5);
  mapped->Forget(0, 20'000);
  EXPECT_EQ(Read("m").substr(9'000, 5), "hello");
  EXPECT_EQ(std::memcmp(mapped->data() + 9'000, "hello", 5), 0);
  EXPECT_TRUE(mapped->Sync().ok());
  const auto again = *fs().Map(Path("m"), 5);
  EXPECT_EQ(again->size(), 20'000) << "an existing file keeps its own size";
  EXPECT_EQ(std::memcmp(again->data() + 9'000, "hello", 5), 0);
}

TEST_P(FileSystemTest, MappingWhatIsNotThereOrEmpty) {
  EXPECT_EQ(fs().Map(Path("m"), -1).error().code(), ErrorCode::kNotFound);
  EXPECT_FALSE(fs().Exists(Path("m")));
  ASSERT_TRUE(fs().WriteFile(Path("e"), "").ok());
  const auto empty = fs().Map(Path("e"), -1);
  ASSERT_TRUE(empty.ok());
  EXPECT_EQ((*empty)->size(), 0);
  (*empty)->Prefault(0, 10);
}

TEST_P(FileSystemTest, AMappingOutlivesTheNameOfItsFile) {
  const auto mapped = *fs().Map(Path("m"), 4096);
  mapped->data()[0] = std::byte{7};
  ASSERT_TRUE(fs().Remove(Path("m")).ok());
  EXPECT_EQ(mapped->data()[0], std::byte{7});
}

TEST_P(FileSystemTest, FilesNeedSpace) {
  constexpr std::int64_t kTooMuch = std::int64_t{1} << 50;
  const auto mapped = fs().Map(Path("m"), kTooMuch);
  ASSERT_FALSE(mapped.ok());
  EXPECT_FALSE(fs().Exists(Path("m"))) << "half a file must not stay";
}

TEST_P(FileSystemTest, ListIsSortedAndTellsFoldersAndSizes) {
  ASSERT_TRUE(fs().WriteFile(Path("b"), "12345").ok());
  ASSERT_TRUE(fs().MakeDirectory(Path("c/d/e")).ok());
  ASSERT_TRUE(fs().MakeDirectory(Path("c/d/e")).ok());
  ASSERT_TRUE(fs().WriteFile(Path("a"), "").ok());
  const auto entries = fs().List(root_);
  ASSERT_TRUE(entries.ok());
  ASSERT_EQ(entries->size(), 3U);
  EXPECT_EQ((*entries)[0].name, "a");
  EXPECT_EQ((*entries)[1].name, "b");
  EXPECT_EQ((*entries)[1].size, 5);
  EXPECT_FALSE((*entries)[1].is_directory);
  EXPECT_TRUE((*entries)[2].is_directory);
  EXPECT_THAT(Names(Path("c/d")), ElementsAre("e"));
  EXPECT_EQ(fs().List(Path("x")).error().code(), ErrorCode::kNotFound);
}

TEST_P(FileSystemTest, RemoveTakesFoldersWhole) {
  ASSERT_TRUE(fs().MakeDirectory(Path("c/d")).ok());
  ASSERT_TRUE(fs().WriteFile(Path("c/d/f"), "x").ok());
  ASSERT_TRUE(fs().Remove(Path("c")).ok());
  EXPECT_FALSE(fs().Exists(Path("c")));
  EXPECT_EQ(fs().Remove(Path("c")).error().code(), ErrorCode::kNotFound);
  EXPECT_THAT(Names(root_), IsEmpty());
}

TEST_P(FileSystemTest, RenameReplaces) {
  ASSERT_TRUE(fs().WriteFile(Path("new"), "new").ok());
  ASSERT_TRUE(fs().WriteFile(Path("old"), "old").ok());
  ASSERT_TRUE(fs().Rename(Path("new"), Path("old")).ok());
  EXPECT_EQ(Read("old"), "new");
  EXPECT_THAT(Names(root_), ElementsAre("old"));
  EXPECT_EQ(fs().Rename(Path("x"), Path("y")).error().code(), ErrorCode::kNotFound);
  ASSERT_TRUE(fs().MakeDirectory(Path("d")).ok());
  ASSERT_TRUE(fs().Rename(Path("old"), Path("d/moved")).ok());
  EXPECT_EQ(Read("d/moved"), "new");
  EXPECT_TRUE(fs().SyncDirectory(Path("d")).ok());
  EXPECT_EQ(fs().SyncDirectory(Path("x")).error().code(), ErrorCode::kNotFound);
}

TEST_P(FileSystemTest, WholeFiles) {
  ASSERT_TRUE(fs().WriteFile(Path("a"), "a long one").ok());
  ASSERT_TRUE(fs().WriteFile(Path("a"), "short").ok());
  EXPECT_EQ(Read("a"), "short");
  EXPECT_EQ(*fs().ReadFile(Path("a"), 5), "short");
  EXPECT_EQ(fs().ReadFile(Path("a"), 4).error().code(), ErrorCode::kResourceExhausted);
  EXPECT_EQ(fs().ReadFile(Path("b")).error().code(), ErrorCode::kNotFound);
}

TEST_P(FileSystemTest, TheLockExcludesASecondOpenInTheSameProcess) {
  auto lock = fs().Lock(Path("lock"));
  ASSERT_TRUE(lock.ok());
  EXPECT_EQ(Read("lock"), "lock");
  EXPECT_EQ(fs().Lock(Path("lock")).error().code(), ErrorCode::kUnavailable);
  lock->reset();
  EXPECT_TRUE(fs().Lock(Path("lock")).ok());
}

TEST_P(FileSystemTest, SpaceIsKnown) {
  const auto space = fs().SpaceOf(root_);
  ASSERT_TRUE(space.ok());
  EXPECT_GT(space->total, 0);
  EXPECT_LE(space->available, space->total);
  EXPECT_FALSE(fs().SpaceOf(Path("x")).ok());
}

INSTANTIATE_TEST_SUITE_P(Both, FileSystemTest, testing::Values(Kind::kMachine, Kind::kMemory),
                         [](const auto& param) {
                           return param.param == Kind::kMachine ? "Machine" : "Memory";
                         });

// Java's FileChannel.lock is fcntl's F_SETLK: asked from a process of its own, as a broker would.
TEST(PosixLockTest, ExcludesAnotherProcessThatAsksAsJavaDoes) {
  std::string root = testing::TempDir() + "apogee-lock-XXXXXX";
  ASSERT_NE(mkdtemp(root.data()), nullptr);
  const std::string path = root + "/lock";
  const auto refused_to_child = [&path] {
    int result[2];
    if (::pipe(result) != 0) return false;
    const pid_t child = ::fork();
    if (child == 0) {
      const int fd = ::open(path.c_str(), O_RDWR);
      struct flock range = {};
      range.l_type = F_WRLCK;
      range.l_whence = SEEK_SET;
      range.l_len = 1;
      const char refused = ::fcntl(fd, F_SETLK, &range) == 0 ? 'n' : 'y';
      const bool told = ::write(result[1], &refused, 1) == 1;
      ::_exit(told ? 0 : 1);
    }
    char refused = '?';
    const bool heard = ::read(result[0], &refused, 1) == 1;
    ::close(result[0]);
    ::close(result[1]);
    // As long as it lives, the child holds our lock's description too.
    EXPECT_EQ(::waitpid(child, nullptr, 0), child);
    EXPECT_TRUE(heard);
    return refused == 'y';
  };
  {
    const auto lock = SystemFileSystem().Lock(path);
    ASSERT_TRUE(lock.ok());
    EXPECT_TRUE(refused_to_child());
  }
  EXPECT_FALSE(refused_to_child());
  std::filesystem::remove_all(root);
}

}  // namespace
}  // namespace apogee
