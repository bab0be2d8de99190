// Brings one consume queue back from its files: trusts the units of records before the place where
// the scan of the log begins, checks that the last of them names the record it should, clears what
// lies behind, and says how far back the scan must begin to fill in the rest.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "env/file_system.h"
#include "store/queue_files.h"
#include "store/queue_table.h"
#include "store/segment_chain.h"

namespace apogee {

// The folder of one queue as found.
struct QueueListing {
  QueueId id;
  std::vector<DirectoryEntry> files;  // Those with a queue file's name, ascending.
};

// All queue folders below `directory`; what is not one is left alone.
Result<std::vector<QueueListing>> ListQueues(const std::string& directory, FileSystem& fs);

// The size of most queue files; `otherwise` when there are none.
std::int64_t QueueFileBytes(const std::vector<QueueListing>& queues, std::int64_t otherwise);

// Threads: one, before the store is open to anybody else.
class QueueRecovery {
 public:
  // All must outlive this. `distrust` is called before units are removed that the checkpoint may
  // vouch for.
  QueueRecovery(SegmentChain& chain, QueueTable& table, QueueFiles& files,
                std::function<Status()> distrust)
      : chain_(chain), table_(table), files_(files), distrust_(std::move(distrust)) {}

  // Puts the queue into the table as far as its files hold entries of records before `scan_from`.
  // Returns where the scan must begin so that the rest is found: `scan_from` or earlier.
  // `thorough`: whatever lies behind the last unit is looked for in the whole file (after a crash);
  // otherwise only when the next unit is there.
  Result<LogOffset> Load(QueueListing listing, LogOffset scan_from, bool thorough);

 private:
  bool IsWhole(const QueueListing& listing) const;
  // Removes files at the end that a crash left without their length.
  Status DropUnfinished(QueueListing* listing);
  // First index in [low, high) whose unit does not satisfy `holds`.
  template <typename Holds>
  Result<std::int64_t> FirstNot(const QueueRef& id, std::int64_t low, std::int64_t high,
                                Holds holds);
  Result<QueueEntry> UnitAt(const QueueRef& id, std::int64_t index);
  bool NamesItsRecord(const QueueRef& id, std::int64_t index, const QueueEntry& unit) const;

  SegmentChain& chain_;
  QueueTable& table_;
  QueueFiles& files_;
  const std::function<Status()> distrust_;
};

}  // namespace apogee
