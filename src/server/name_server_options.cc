#include "server/name_server_options.h"

#include <fmt/core.h>

namespace apogee {

Result<NameServerOptions> NameServerOptionsFrom(const Config& config,
                                                const ProcessOptions& options) {
  NameServerOptions serving;
  serving.bind_address = config.Text("bindAddress");
  const std::int64_t port =
      options.parts.broker ? options.name_server_port : config.Int("listenPort");
  if (port < 0 || port > 65'535) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("listenPort={}: must be between 0 and 65535", port));
  }
  serving.listen_port = static_cast<std::uint16_t>(port);

  // Beside the store by default, so that one directory holds all there is.
  const std::string folder = config.Text("storePathRootDir") + "/namesrv";
  serving.kv_config_path =
      config.IsSet("kvConfigPath") ? config.Text("kvConfigPath") : folder + "/kvConfig.json";
  serving.config_store_path = config.IsSet("configStorePath") ? config.Text("configStorePath")
                                                              : folder + "/namesrv.properties";
  if (config.IsSet("configBlackList")) serving.config_black_list = config.Text("configBlackList");
  serving.order_message_enable = config.Bool("orderMessageEnable");
  serving.return_order_topic_config_to_broker = config.Bool("returnOrderTopicConfigToBroker");
  serving.enable_all_topic_list = config.Bool("enableAllTopicList");
  serving.enable_topic_list = config.Bool("enableTopicList");
  serving.delete_topic_with_broker_registration = config.Bool("deleteTopicWithBrokerRegistration");
  serving.support_acting_master = config.Bool("supportActingMaster");
  serving.notify_min_broker_id_changed = config.Bool("notifyMinBrokerIdChanged");
  serving.need_wait_for_service = config.Bool("needWaitForService");
  serving.wait_seconds_for_service = static_cast<std::int32_t>(config.Int("waitSecondsForService"));
  serving.scan_not_active_broker_interval_ms = config.Int("scanNotActiveBrokerInterval");
  return serving;
}

}  // namespace apogee
