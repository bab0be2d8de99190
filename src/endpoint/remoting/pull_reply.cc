#include "endpoint/remoting/pull_reply.h"

#include <utility>

#include "endpoint/remoting/outcome_codes.h"

namespace apogee {
namespace {

// A piece of its own costs a pin, an iovec and a queue entry, about what copying this much does.
constexpr std::size_t kCopyBytesMax = 4096;

void AddRecords(std::vector<RecordRef> records, Reply* reply) {
  std::size_t copied = 0;
  std::size_t first_pinned = 0;
  while (first_pinned < records.size() && records[first_pinned].bytes.size() < kCopyBytesMax) {
    copied += records[first_pinned].bytes.size();
    ++first_pinned;
  }
  reply->body.reserve(copied);
  for (std::size_t i = 0; i < first_pinned; ++i) reply->body.append(records[i].bytes);
  // Order is the queue's: behind the first piece that stays in place, all do.
  reply->more_body.reserve(records.size() - first_pinned);
  for (std::size_t i = first_pinned; i < records.size(); ++i) {
    const std::string_view bytes = records[i].bytes;
    if (!reply->more_body.empty()) {
      PinnedBytes& last = reply->more_body.back();
      const bool adjacent =
          last.bytes.data() + last.bytes.size() == bytes.data() && last.pin == records[i].pin;
      if (adjacent) {
        last.bytes = {last.bytes.data(), last.bytes.size() + bytes.size()};
        continue;
      }
    }
    reply->more_body.push_back({bytes, std::move(records[i].pin)});
  }
}

}  // namespace

Reply PullReply(PullOutcome outcome) {
  Reply reply = Reply::Of(ResponseCodeOf(outcome.status), std::move(outcome.remark));
  Fields& fields = reply.fields;
  if (!outcome.answers_with_offsets()) {
    reply.with_fields = true;
    if (outcome.forbidden_type != 0) fields.AddInt("forbiddenType", outcome.forbidden_type);
    return reply;
  }
  fields.AddView("suggestWhichBrokerId", "0");  // Reads from a replica are not suggested here.
  fields.AddInt("nextBeginOffset", outcome.next_offset);
  fields.AddInt("minOffset", outcome.min_offset);
  fields.AddInt("maxOffset", outcome.max_offset);
  fields.AddInt("topicSysFlag", outcome.topic_sys_flag);
  fields.AddInt("groupSysFlag", outcome.group_sys_flag);
  AddRecords(std::move(outcome.records), &reply);
  return reply;
}

}  // namespace apogee
