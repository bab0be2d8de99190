// Codes 29 to 33 and 46: offsets of a queue, messages by place, and whether a filter is served.
#pragma once

#include "broker/queue_query.h"
#include "endpoint/remoting/broker_handler.h"

namespace apogee {

class QueryHandler : public CommandHandler {
 public:
  // `query` must outlive the handler.
  explicit QueryHandler(const QueueQuery& query) : query_(query) {}

  void RegisterWith(BrokerHandler& broker);
  void Handle(const Request& request, Responder responder) override;

 private:
  Result<Reply> Answer(const Command& command) const;
  Result<Reply> QueueAnswer(const Command& command) const;
  Result<Reply> ViewMessage(const Fields& fields) const;
  static Result<Reply> CheckClientConfig(const Command& command);

  const QueueQuery& query_;
};

}  // namespace apogee
