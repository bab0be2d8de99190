#include "protocol/response_code.h"

#include <algorithm>
#include <array>

namespace apogee {
namespace {

struct Named {
  std::int32_t code;
  std::string_view name;
};
constexpr auto kNames = std::to_array<Named>({
    {0, "SUCCESS"},
    {1, "SYSTEM_ERROR"},
    {2, "SYSTEM_BUSY"},
    {3, "REQUEST_CODE_NOT_SUPPORTED"},
    {4, "TRANSACTION_FAILED"},
    {10, "FLUSH_DISK_TIMEOUT"},
    {11, "SLAVE_NOT_AVAILABLE"},
    {12, "FLUSH_SLAVE_TIMEOUT"},
    {13, "MESSAGE_ILLEGAL"},
    {14, "SERVICE_NOT_AVAILABLE"},
    {15, "VERSION_NOT_SUPPORTED"},
    {16, "NO_PERMISSION"},
    {17, "TOPIC_NOT_EXIST"},
    {18, "TOPIC_EXIST_ALREADY"},
    {19, "PULL_NOT_FOUND"},
    {20, "PULL_RETRY_IMMEDIATELY"},
    {21, "PULL_OFFSET_MOVED"},
    {22, "QUERY_NOT_FOUND"},
    {23, "SUBSCRIPTION_PARSE_FAILED"},
    {24, "SUBSCRIPTION_NOT_EXIST"},
    {25, "SUBSCRIPTION_NOT_LATEST"},
    {26, "SUBSCRIPTION_GROUP_NOT_EXIST"},
    {27, "FILTER_DATA_NOT_EXIST"},
    {28, "FILTER_DATA_NOT_LATEST"},
    {29, "INVALID_PARAMETER"},
    {204, "NO_BUYER_ID"},
    {205, "NOT_IN_CURRENT_UNIT"},
    {206, "CONSUMER_NOT_ONLINE"},
    {207, "CONSUME_MSG_TIMEOUT"},
    {208, "NO_MESSAGE"},
    {209, "POLLING_FULL"},
    {210, "POLLING_TIMEOUT"},
    {211, "BROKER_NOT_EXIST"},
    {212, "BROKER_DISPATCH_NOT_COMPLETE"},
    {213, "BROADCAST_CONSUMPTION"},
    {215, "FLOW_CONTROL"},
    {501, "NOT_LEADER_FOR_QUEUE"},
    {604, "ILLEGAL_OPERATION"},
    {1500, "GO_AWAY"},
    {2000, "CONTROLLER_FENCED_MASTER_EPOCH"},
    {2001, "CONTROLLER_FENCED_SYNC_STATE_SET_EPOCH"},
    {2002, "CONTROLLER_INVALID_MASTER"},
    {2003, "CONTROLLER_INVALID_REPLICAS"},
    {2004, "CONTROLLER_MASTER_NOT_AVAILABLE"},
    {2005, "CONTROLLER_INVALID_REQUEST"},
    {2006, "CONTROLLER_BROKER_NOT_ALIVE"},
    {2007, "CONTROLLER_NOT_LEADER"},
    {2008, "CONTROLLER_BROKER_METADATA_NOT_EXIST"},
    {2009, "CONTROLLER_INVALID_CLEAN_BROKER_METADATA"},
    {2010, "CONTROLLER_BROKER_NEED_TO_BE_REGISTERED"},
    {2011, "CONTROLLER_MASTER_STILL_EXIST"},
    {2012, "CONTROLLER_ELECT_MASTER_FAILED"},
    {2013, "CONTROLLER_ALTER_SYNC_STATE_SET_FAILED"},
    {2014, "CONTROLLER_BROKER_ID_INVALID"},
    {2015, "CONTROLLER_JRAFT_INTERNAL_ERROR"},
    {2016, "CONTROLLER_BROKER_LIVE_INFO_NOT_EXISTS"},
    {2017, "LMQ_QUOTA_EXCEEDED"},
    {2018, "LITE_SUBSCRIPTION_QUOTA_EXCEEDED"},
    {3001, "USER_NOT_EXIST"},
    {3002, "POLICY_NOT_EXIST"},
});
static_assert(std::ranges::is_sorted(kNames, {}, &Named::code), "searched by halves");

}  // namespace

std::string_view ResponseCodeName(std::int32_t code) {
  const auto* const found = std::ranges::lower_bound(kNames, code, {}, &Named::code);
  return found != kNames.end() && found->code == code ? found->name : std::string_view();
}

}  // namespace apogee
