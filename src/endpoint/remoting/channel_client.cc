#include "endpoint/remoting/channel_client.h"

#include <utility>

#include "protocol/command.h"
#include "protocol/request_code.h"

namespace apogee {

ChannelClient::ChannelClient(std::shared_ptr<Channel> channel)
    : channel_(std::move(channel)), host_(Host::Parse(channel_->peer()).value_or(Host{})) {}

std::string ChannelClient::language() const {
  return std::string(LanguageName(channel_->language()));
}

void ChannelClient::NotifyConsumerIdsChanged(std::string_view group) {
  Command command;
  command.code = RequestCode::kNotifyConsumerIdsChanged;
  command.fields.Add("consumerGroup", group);
  channel_->SendOneway(std::move(command), {});
}

void ChannelClient::Post(std::move_only_function<void()> task) {
  channel_->loop().Post(std::move(task));
}

ChannelClient& ClientOf(const std::shared_ptr<Channel>& channel) {
  std::shared_ptr<void>& kept = channel->attachment();
  if (!kept) kept = std::make_shared<ChannelClient>(channel);
  return *static_cast<ChannelClient*>(kept.get());
}

std::shared_ptr<ChannelClient> SharedClientOf(const std::shared_ptr<Channel>& channel) {
  ClientOf(channel);
  return std::static_pointer_cast<ChannelClient>(channel->attachment());
}

std::shared_ptr<ChannelClient> ReleaseClientOf(const std::shared_ptr<Channel>& channel) {
  return std::static_pointer_cast<ChannelClient>(std::exchange(channel->attachment(), nullptr));
}

}  // namespace apogee
