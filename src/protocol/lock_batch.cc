#include "protocol/lock_batch.h"

#include "protocol/json_body.h"

namespace apogee {

Result<LockBatchRequest> LockBatchRequest::Parse(std::string_view body) {
  AP_TRY(const Json json, ParseJsonBody(body));
  for (const char* name : {"clientId", "consumerGroup"}) {
    if (json[name].ToText().empty()) {
      return Fail(ErrorCode::kInvalidArgument, std::string(name) + " is missing");
    }
  }
  return LockBatchRequest{.client_id = json["clientId"].ToText(),
                          .consumer_group = json["consumerGroup"].ToText(),
                          .queues = MessageQueuesFromJson(json["mqSet"]),
                          .only_this_broker = json["onlyThisBroker"].ToBool()};
}

std::string LockBatchRequest::Encode() const {
  Json json;
  json.Set("clientId", client_id);
  json.Set("consumerGroup", consumer_group);
  json.Set("mqSet", MessageQueuesToJson(queues));
  json.Set("onlyThisBroker", only_this_broker);
  return json.Dump();
}

std::string EncodeLockBatchResponse(const std::vector<MessageQueue>& locked) {
  Json json;
  json.Set("lockOKMQSet", MessageQueuesToJson(locked));
  return json.Dump();
}

Result<std::vector<MessageQueue>> ParseLockBatchResponse(std::string_view body) {
  AP_TRY(const Json json, ParseJsonBody(body));
  return MessageQueuesFromJson(json["lockOKMQSet"]);
}

}  // namespace apogee
