#include "store/metadata_file.h"

#include "store/fake/store_fixture.h"

namespace apogee {
namespace {

class MetadataFileTest : public testing::Test {
 protected:
  TemporaryDirectory directory_;
  std::string path_ = directory_.path() + "/config/topics.json";
  ManualClock clock_;

  MetadataFile File() { return MetadataFile(path_, SystemFileSystem(), clock_); }
  Json Counter(std::int64_t value) {
    Json json;
    json.Set("counter", value);
    return json;
  }
};

TEST_F(MetadataFileTest, WhatIsSavedIsLoadedAndTheGenerationBeforeStays) {
  EXPECT_EQ(File().Load(), std::nullopt);
  MetadataFile file = File();
  ASSERT_TRUE(file.Save(Counter(1)).ok());
  ASSERT_TRUE(file.Save(Counter(2)).ok());
  EXPECT_EQ((*File().Load())["counter"].ToInt(), 2);
  EXPECT_EQ(ReadWhole(path_), "{\n\t\"counter\":2\n}");
  EXPECT_EQ(ReadWhole(path_ + ".bak"), "{\n\t\"counter\":1\n}");
  EXPECT_FALSE(std::filesystem::exists(path_ + ".tmp"));
}

TEST_F(MetadataFileTest, SavingTheSameAgainWritesNothing) {
  ASSERT_TRUE(File().Save(Counter(1)).ok());
  MetadataFile file = File();
  ASSERT_TRUE(file.Load().has_value());
  ASSERT_TRUE(file.Save(Counter(1)).ok());
  EXPECT_FALSE(std::filesystem::exists(path_ + ".bak"));
}

TEST_F(MetadataFileTest, ADamagedFileIsSetAsideAndTheBackupServes) {
  MetadataFile file = File();
  ASSERT_TRUE(file.Save(Counter(1)).ok());
  ASSERT_TRUE(file.Save(Counter(2)).ok());
  const std::string half = ReadWhole(path_).substr(0, 8);
  std::filesystem::resize_file(path_, 8);
  MetadataFile again = File();
  EXPECT_EQ((*again.Load())["counter"].ToInt(), 1);
  EXPECT_EQ(ReadWhole(path_ + ".damaged-" + std::to_string(clock_.WallMs())), half);
  // The next save must not push the damaged generation over the good one.
  ASSERT_TRUE(again.Save(Counter(3)).ok());
  EXPECT_EQ((*File().Load())["counter"].ToInt(), 3);
  EXPECT_EQ(ReadWhole(path_ + ".bak"), "{\n\t\"counter\":1\n}");
}

TEST_F(MetadataFileTest, AnEmptyFileFallsBackAndACrashBetweenRenamesToo) {
  MetadataFile file = File();
  ASSERT_TRUE(file.Save(Counter(1)).ok());
  ASSERT_TRUE(file.Save(Counter(2)).ok());
  std::filesystem::rename(path_, path_ + ".bak");
  EXPECT_EQ((*File().Load())["counter"].ToInt(), 2);
  std::ofstream(path_) << "";
  EXPECT_EQ((*File().Load())["counter"].ToInt(), 2);
}

TEST_F(MetadataFileTest, BothDamagedIsAsIfNothingWereThere) {
  MetadataFile file = File();
  ASSERT_TRUE(file.Save(Counter(1)).ok());
  ASSERT_TRUE(file.Save(Counter(2)).ok());
  std::filesystem::resize_file(path_, 3);
  std::filesystem::resize_file(path_ + ".bak", 3);
  MetadataFile again = File();
  EXPECT_EQ(again.Load(), std::nullopt);
  EXPECT_TRUE(again.Save(Counter(5)).ok());
}

}  // namespace
}  // namespace apogee
