// Codes 10, 310 and 320: sends in both header shapes, single and batch.
#pragma once

#include <string>

#include "broker/identity.h"
#include "broker/send_service.h"
#include "endpoint/remoting/broker_handler.h"

namespace apogee {

class SendHandler : public CommandHandler {
 public:
  // Both must outlive the handler.
  SendHandler(SendService& service, const BrokerIdentity& identity, Clock& clock)
      : service_(service), identity_(identity), clock_(clock) {}

  void RegisterWith(BrokerHandler& broker);
  void Handle(const Request& request, Responder responder) override;

 private:
  Reply ReplyOf(SendOutcome outcome) const;

  SendService& service_;
  const BrokerIdentity& identity_;
  Clock& clock_;
};

}  // namespace apogee
