// What a name server is started with: Apache's NamesrvConfig keys that mean something here, under
// their own defaults.
#pragma once

#include <cstdint>
#include <string>

namespace apogee {

struct NameServerOptions {
  std::string bind_address = "0.0.0.0";  // bindAddress
  std::uint16_t listen_port = 9876;      // listenPort; 0 = any free one.
  std::string kv_config_path;            // kvConfigPath; empty: kept in memory only.
  std::string config_store_path;         // configStorePath; empty: changes are kept in memory only.
  std::string config_black_list = "configBlackList;configStorePath;kvConfigPath";

  // The rest can be changed while it runs (UPDATE_NAMESRV_CONFIG).
  bool order_message_enable = false;                       // orderMessageEnable
  bool return_order_topic_config_to_broker = true;         // returnOrderTopicConfigToBroker
  bool enable_all_topic_list = true;                       // enableAllTopicList
  bool enable_topic_list = true;                           // enableTopicList
  bool delete_topic_with_broker_registration = false;      // deleteTopicWithBrokerRegistration
  bool support_acting_master = false;                      // supportActingMaster
  bool notify_min_broker_id_changed = false;               // notifyMinBrokerIdChanged
  bool need_wait_for_service = false;                      // needWaitForService
  std::int32_t wait_seconds_for_service = 45;              // waitSecondsForService
  std::int64_t scan_not_active_broker_interval_ms = 5000;  // scanNotActiveBrokerInterval
};

}  // namespace apogee
