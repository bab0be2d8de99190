// Paging of the topic and group tables (codes 21 and 201): with any of its fields a request asks
// for one page of the table sorted by name (remoting reference §2.8, code 21).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "base/json.h"
#include "message/topic_config.h"
#include "protocol/fields.h"

namespace apogee {

inline constexpr std::int64_t kConfigPageMax = 2000;  // splitMetadataSize

// The half-open range of entries to answer with. `sequence_name` and `count_name` are the fields of
// the table.
inline std::pair<std::size_t, std::size_t> ConfigPage(const Fields& fields,
                                                      std::string_view sequence_name,
                                                      std::string_view count_name,
                                                      const DataVersion& version,
                                                      std::size_t entries) {
  const bool paged =
      fields.Find(sequence_name) || fields.Find(count_name) || fields.Find("dataVersion");
  if (!paged) return {0, entries};
  // A page of another version of the table is the first one: the client starts over.
  const Result<Json> asked = Json::Parse(fields.Text("dataVersion"));
  const bool same_version =
      asked.ok() && asked->is_object() && DataVersion::FromJson(*asked) == version;
  const std::int64_t first =
      same_version ? std::max<std::int64_t>(0, fields.Int(sequence_name, 0)) : 0;
  const std::int64_t count =
      std::clamp<std::int64_t>(fields.Int(count_name, kConfigPageMax), 0, kConfigPageMax);
  const auto from = std::min(entries, static_cast<std::size_t>(first));
  return {from, std::min(entries, from + static_cast<std::size_t>(count))};
}

}  // namespace apogee
