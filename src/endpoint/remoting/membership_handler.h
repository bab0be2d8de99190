// Codes 34, 35 and 38: heartbeats, goodbyes, and who is in a group.
#pragma once

#include "broker/consumer_groups.h"
#include "broker/heartbeats.h"
#include "endpoint/remoting/broker_handler.h"

namespace apogee {

class MembershipHandler : public CommandHandler, public ClientCloseObserver {
 public:
  // Both must outlive the handler.
  MembershipHandler(Heartbeats& heartbeats, const ConsumerGroups& online)
      : heartbeats_(heartbeats), online_(online) {}

  // Also observes clients that close.
  void RegisterWith(BrokerHandler& broker);
  void Handle(const Request& request, Responder responder) override;
  void OnClientClosed(const ClientHandle& client) override { heartbeats_.OnClosed(client); }

 private:
  Reply Heartbeat(const Request& request);
  Reply Unregister(const Request& request);
  Reply Members(const Command& command) const;

  Heartbeats& heartbeats_;
  const ConsumerGroups& online_;
};

}  // namespace apogee
