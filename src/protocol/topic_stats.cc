#include "protocol/topic_stats.h"

#include <utility>

#include "base/json.h"
#include "protocol/json_body.h"

namespace apogee {

std::string TopicStats::Encode() const {
  Json::Object table;
  for (const auto& [queue, extent] : queues) {
    Json json;
    json.Set("lastUpdateTimestamp", extent.last_update_ms);
    json.Set("maxOffset", extent.max_offset);
    json.Set("minOffset", extent.min_offset);
    table.emplace_back(Json::RawKey(queue.ToJson()), std::move(json));
  }
  Json json;
  json.Set("offsetTable", Json(std::move(table)));
  json.Set("topicPutTps", put_tps);
  return json.Dump();
}

Result<TopicStats> TopicStats::Parse(std::string_view body) {
  AP_TRY(const Json json, ParseJsonBody(body));
  TopicStats stats;
  stats.put_tps = json["topicPutTps"].ToDouble();
  for (const auto& [key, extent] : json["offsetTable"].object()) {
    AP_TRY(const Json queue, ParseJsonBody(key));
    stats.queues[MessageQueue::FromJson(queue)] = {
        .min_offset = extent["minOffset"].ToInt(),
        .max_offset = extent["maxOffset"].ToInt(),
        .last_update_ms = extent["lastUpdateTimestamp"].ToInt()};
  }
  return stats;
}

}  // namespace apogee
