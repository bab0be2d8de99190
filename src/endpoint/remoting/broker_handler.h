// The broker's front door for RocketMQ's remoting protocol: finds the handler of a request's code
// and tells who cares when a client is gone.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "broker/client_handle.h"
#include "remoting/server.h"

namespace apogee {

// Serves the requests of one or a few codes.
class CommandHandler {
 public:
  virtual ~CommandHandler() = default;
  // On the channel's loop: return soon. Views of the request die on return.
  virtual void Handle(const Request& request, Responder responder) = 0;
};

class ClientCloseObserver {
 public:
  virtual ~ClientCloseObserver() = default;
  // On the channel's loop, once, after the client's last request.
  virtual void OnClientClosed(const ClientHandle& client) = 0;
};

// Register and Observe before the first request; afterwards constant, so that any loop may look.
class BrokerHandler : public RequestHandler {
 public:
  // `handler` must outlive this. A code registered twice is a bug.
  void Register(std::int32_t code, CommandHandler* handler);
  void Observe(ClientCloseObserver* observer) { observers_.push_back(observer); }

  // An unknown code is answered with 3.
  void Handle(const Request& request, Responder responder) override;
  void OnChannelClosed(const std::shared_ptr<Channel>& channel) override;

  static void RefuseUnknown(std::int32_t code, Responder responder);

 private:
  std::vector<CommandHandler*> low_;  // By code; the hot ones are small numbers.
  std::unordered_map<std::int32_t, CommandHandler*> high_;
  std::vector<ClientCloseObserver*> observers_;
};

// The second port (listen port - 2) that clients with vipChannelEnabled use: everything but pulls.
class VipHandler : public RequestHandler {
 public:
  explicit VipHandler(BrokerHandler& broker) : broker_(broker) {}
  void Handle(const Request& request, Responder responder) override;
  void OnChannelClosed(const std::shared_ptr<Channel>& channel) override;

 private:
  BrokerHandler& broker_;
};

}  // namespace apogee
