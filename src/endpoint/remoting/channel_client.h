// A remoting connection as the broker's services see it: one object a channel, made when first
// asked for and kept with the channel until it closes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "broker/client_handle.h"
#include "message/host.h"
#include "remoting/server.h"

namespace apogee {

class ChannelClient : public ClientHandle, public ClientExecutor {
 public:
  explicit ChannelClient(std::shared_ptr<Channel> channel);

  std::uint64_t id() const override { return channel_->id(); }
  const std::string& address() const override { return channel_->peer(); }
  std::string language() const override;
  std::int32_t version() const override { return channel_->version(); }
  void NotifyConsumerIdsChanged(std::string_view group) override;
  void Close() override { channel_->Close(); }

  // On the channel's loop.
  void Post(std::move_only_function<void()> task) override;

  // The address as messages carry it: born host.
  const Host& host() const { return host_; }

 private:
  const std::shared_ptr<Channel> channel_;
  const Host host_;
};

// The client of a channel; both on the channel's loop only.
ChannelClient& ClientOf(const std::shared_ptr<Channel>& channel);
std::shared_ptr<ChannelClient> SharedClientOf(const std::shared_ptr<Channel>& channel);
// Lets go of it: the channel has closed. nullptr when nobody had asked for it.
std::shared_ptr<ChannelClient> ReleaseClientOf(const std::shared_ptr<Channel>& channel);

}  // namespace apogee
