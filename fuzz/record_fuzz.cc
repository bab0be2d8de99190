// Decoding any bytes as a record; what decodes must encode to the same bytes.

#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "message/record.h"
#include "message/sys_flag.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace apogee;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto view = DecodeRecord(bytes, CrcCheck::kSkip);
  const auto checked = DecodeRecord(bytes, CrcCheck::kVerify);
  AP_CHECK(view.ok() || !checked.ok());
  if (!checked.ok()) return 0;
  RecordFields fields;
  fields.topic = view->topic;
  fields.queue_id = view->queue_id;
  fields.flag = view->flag;
  fields.sys_flag = view->sys_flag;
  fields.born_time_ms = view->born_time_ms;
  fields.born_host = view->born_host;
  fields.store_host = view->store_host;
  fields.reconsume_times = view->reconsume_times;
  fields.prepared_transaction_offset = view->prepared_transaction_offset;
  fields.body = view->body;
  fields.properties = view->properties;
  const auto encoded = EncodedRecordBytes(fields);
  if (!encoded.ok()) return 0;  // A version 2 topic longer than we write.
  // A version 2 record with a short topic comes out as version 1; an empty body may carry any
  // checksum.
  const bool same_form =
      (view->magic == kRecordMagicV2) == (view->topic.size() > kTopicBytesMaxV1) &&
      !view->body.empty();
  std::string again(static_cast<std::size_t>(*encoded), '\0');
  EncodeRecord(fields, view->queue_offset, view->log_offset, view->store_time_ms, again.data());
  AP_CHECK(!same_form || again == view->bytes);
  return 0;
}
