// Codes 11 and 361: pulls, answered at once or held until something arrives.
#pragma once

#include "broker/long_poll.h"
#include "broker/pull_service.h"
#include "endpoint/remoting/broker_handler.h"

namespace apogee {

class PullHandler : public CommandHandler, public ClientCloseObserver {
 public:
  // Both must outlive the handler, and the handler what `long_poll` holds: stop that first.
  PullHandler(PullService& service, LongPoll& long_poll)
      : service_(service), long_poll_(long_poll) {}

  // Also observes clients that close.
  void RegisterWith(BrokerHandler& broker);
  void Handle(const Request& request, Responder responder) override;
  void OnClientClosed(const ClientHandle& client) override { long_poll_.DropClient(client.id()); }

 private:
  class WaitingPull;

  void Hold(const PullRequest& request, std::shared_ptr<const Subscription> filter,
            PullOutcome nothing_new, const Request& from, Responder responder);

  PullService& service_;
  LongPoll& long_poll_;
};

}  // namespace apogee
