// For tests of this room: a store in a temporary folder of the real file system, which can be told
// to fail, with manual workers and clock.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "base/check.h"
#include "env/fake/manual_clock.h"
#include "env/fake/manual_workers.h"
#include "env/file_system.h"
#include "message/properties.h"
#include "message/record.h"
#include "store/message_store.h"

namespace apogee {

// The real files, with syncs counted and faults on demand.
class FaultyFileSystem final : public FileSystem {
 public:
  explicit FaultyFileSystem(FileSystem& real) : real_(real) {}

  std::atomic<int> map_syncs{0};
  std::atomic<bool> fail_syncs{false};
  std::atomic<bool> disk_full{false};

  Result<std::unique_ptr<File>> Open(const std::string& path, OpenMode mode) override {
    return real_.Open(path, mode);
  }
  Result<std::unique_ptr<MappedFile>> Map(const std::string& path, std::int64_t size) override {
    if (disk_full && size >= 0) return Fail(ErrorCode::kDiskFull, "disk full");
    AP_TRY(auto file, real_.Map(path, size));
    return std::make_unique<Mapped>(*this, std::move(file));
  }
  Result<std::vector<DirectoryEntry>> List(const std::string& directory) override {
    return real_.List(directory);
  }
  Status MakeDirectory(const std::string& directory) override {
    return real_.MakeDirectory(directory);
  }
  bool Exists(const std::string& path) override { return real_.Exists(path); }
  Status Remove(const std::string& path) override { return real_.Remove(path); }
  Status Rename(const std::string& from, const std::string& to) override {
    return real_.Rename(from, to);
  }
  Status SyncDirectory(const std::string& directory) override {
    return real_.SyncDirectory(directory);
  }
  Result<std::unique_ptr<FileLock>> Lock(const std::string& path) override {
    return real_.Lock(path);
  }
  Result<Space> SpaceOf(const std::string& path) override { return real_.SpaceOf(path); }

 private:
  struct Mapped final : MappedFile {
    Mapped(FaultyFileSystem& o, std::unique_ptr<MappedFile> f) : owner(o), file(std::move(f)) {}
    std::byte* data() override { return file->data(); }
    const std::byte* data() const override { return file->data(); }
    std::int64_t size() const override { return file->size(); }
    Status Sync() override {
      ++owner.map_syncs;
      if (owner.fail_syncs) return Fail(ErrorCode::kIo, "input/output error");
      return file->Sync();
    }
    void Prefault(std::int64_t at, std::int64_t length) override { file->Prefault(at, length); }
    void Forget(std::int64_t at, std::int64_t length) override { file->Forget(at, length); }
    FaultyFileSystem& owner;
    std::unique_ptr<MappedFile> file;
  };
  FileSystem& real_;
};

class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string name = std::filesystem::temp_directory_path() / "apogee-store-XXXXXX";
    AP_CHECK(mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~TemporaryDirectory() { std::filesystem::remove_all(path_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

inline std::string ReadWhole(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream out;
  out << in.rdbuf();
  return out.str();
}

inline void WriteAt(const std::string& path, std::int64_t at, const std::string& bytes) {
  std::fstream out(path, std::ios::binary | std::ios::in | std::ios::out);
  AP_CHECK(out.good());
  out.seekp(at);
  out << bytes;
}

// Every file below `directory` with its content; folders with an empty one.
inline std::map<std::string, std::string> Snapshot(const std::string& directory) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) {
    files[entry.path()] = entry.is_directory() ? "" : ReadWhole(entry.path());
  }
  return files;
}

class StoreTest : public testing::Test {
 protected:
  static constexpr std::int64_t kSegmentBytes = 65'536;
  static constexpr std::int64_t kQueueFileBytes = 2'000;  // 100 units.

  StoreOptions Options() const {
    StoreOptions options;
    options.root = root_;
    options.segment_bytes = kSegmentBytes;
    options.queue_file_bytes = kQueueFileBytes;
    options.flush_mode = mode_;
    return options;
  }

  void Open() {
    store_.reset();
    auto store = MessageStore::Open(Options(), fs_, clock_, workers_);
    ASSERT_TRUE(store.ok()) << store.error().ToString();
    store_ = std::move(*store);
  }
  void Advance(std::int64_t ms) { clock_.Advance(std::chrono::milliseconds(ms)); }
  // As the end of the process would: nothing is closed.
  void Crash() { store_.reset(); }
  void CloseAndReopen() {
    const Status closed = store_->Close();
    ASSERT_TRUE(closed.ok()) << closed.error().ToString();
    Open();
  }

  RecordFields Message(std::string_view topic, std::int32_t queue, std::string_view body,
                       std::string_view properties = {}) const {
    RecordFields fields;
    fields.topic = topic;
    fields.queue_id = queue;
    fields.body = body;
    fields.properties = properties;
    fields.born_time_ms = clock_.WallMs();
    fields.born_host = *Host::Parse("127.0.0.1:40000");
    fields.store_host = *Host::Parse("127.0.0.1:10911");
    return fields;
  }
  Appended Append(std::string_view topic, std::int32_t queue, std::string_view body,
                  std::string_view properties = {}) {
    const RecordFields fields = Message(topic, queue, body, properties);
    auto appended = store_->Append({&fields, 1});
    EXPECT_TRUE(appended.ok()) << appended.error().ToString();
    return appended.ok() ? *appended : Appended{};
  }

  // Bodies of all messages of a queue, each checked to be the one its entry should name.
  std::vector<std::string> Bodies(std::string_view topic, std::int32_t queue) {
    std::vector<std::string> bodies;
    const auto range = store_->Range({topic, queue});
    if (!range) return bodies;
    std::vector<QueueEntry> entries;
    const auto count = static_cast<std::int32_t>(range->max - range->min);
    EXPECT_TRUE(store_->ReadEntries({topic, queue}, range->min, count, &entries).ok());
    EXPECT_EQ(static_cast<std::int32_t>(entries.size()), count);
    std::int64_t offset = range->min.value();
    for (const QueueEntry& entry : entries) {
      const auto record = store_->Read(entry);
      if (!record.ok()) {
        ADD_FAILURE() << topic << "/" << queue << " " << offset << record.error().ToString();
        continue;
      }
      const auto view = DecodeRecord(record->bytes, CrcCheck::kVerify);
      EXPECT_TRUE(view.ok());
      if (!view.ok()) continue;
      EXPECT_EQ(view->topic, topic);
      EXPECT_EQ(view->queue_id, queue);
      EXPECT_EQ(view->queue_offset.value(), offset);
      EXPECT_EQ(view->log_offset, entry.at);
      bodies.emplace_back(view->body);
      ++offset;
    }
    return bodies;
  }

  std::string LogFile(std::int64_t start) const {
    std::string name = std::to_string(start);
    return root_ + "/commitlog/" + std::string(20 - name.size(), '0') + name;
  }
  std::string QueueFile(const std::string& topic, int queue, std::int64_t start) const {
    std::string name = std::to_string(start);
    return root_ + "/consumequeue/" + topic + "/" + std::to_string(queue) + "/" +
           std::string(20 - name.size(), '0') + name;
  }

  FlushMode mode_ = FlushMode::kAsync;
  TemporaryDirectory directory_;
  std::string root_ = directory_.path() + "/store";
  ManualClock clock_;
  ManualWorkers workers_;
  FaultyFileSystem fs_{SystemFileSystem()};
  std::unique_ptr<MessageStore> store_;
};

}  // namespace apogee
