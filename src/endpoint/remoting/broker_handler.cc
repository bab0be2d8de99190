#include "endpoint/remoting/broker_handler.h"

#include <fmt/core.h>

#include "base/check.h"
#include "endpoint/remoting/channel_client.h"
#include "protocol/request_code.h"
#include "protocol/response_code.h"

namespace apogee {
namespace {

constexpr std::int32_t kLowCodes = 1024;

}  // namespace

void BrokerHandler::Register(std::int32_t code, CommandHandler* handler) {
  AP_CHECK(handler != nullptr);
  if (code < 0 || code >= kLowCodes) {
    AP_CHECK(high_.try_emplace(code, handler).second);
    return;
  }
  low_.resize(kLowCodes, nullptr);
  CommandHandler*& slot = low_[static_cast<std::size_t>(code)];
  AP_CHECK(slot == nullptr);
  slot = handler;
}

void BrokerHandler::Handle(const Request& request, Responder responder) {
  const std::int32_t code = request.command.code;
  CommandHandler* handler = nullptr;
  if (code >= 0 && static_cast<std::size_t>(code) < low_.size()) {
    handler = low_[static_cast<std::size_t>(code)];
  } else if (const auto at = high_.find(code); at != high_.end()) {
    handler = at->second;
  }
  if (handler == nullptr) return RefuseUnknown(code, std::move(responder));
  handler->Handle(request, std::move(responder));
}

void BrokerHandler::RefuseUnknown(std::int32_t code, Responder responder) {
  responder.Send(Reply::Of(ResponseCode::kRequestCodeNotSupported,
                           fmt::format(" request type {} not supported", code)));
}

void BrokerHandler::OnChannelClosed(const std::shared_ptr<Channel>& channel) {
  const std::shared_ptr<ChannelClient> client = ReleaseClientOf(channel);
  if (!client) return;
  for (ClientCloseObserver* observer : observers_) observer->OnClientClosed(*client);
}

void VipHandler::Handle(const Request& request, Responder responder) {
  const std::int32_t code = request.command.code;
  if (code == RequestCode::kPullMessage || code == RequestCode::kLitePullMessage) {
    return BrokerHandler::RefuseUnknown(code, std::move(responder));
  }
  broker_.Handle(request, std::move(responder));
}

void VipHandler::OnChannelClosed(const std::shared_ptr<Channel>& channel) {
  broker_.OnChannelClosed(channel);
}

}  // namespace apogee
