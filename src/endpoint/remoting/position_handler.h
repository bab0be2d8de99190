// Codes 14, 15, 41 and 42: a group's position in a queue, and the queue's lock for orderly
// consumers.
#pragma once

#include "broker/consumer_positions.h"
#include "broker/queue_locks.h"
#include "endpoint/remoting/broker_handler.h"

namespace apogee {

class PositionHandler : public CommandHandler {
 public:
  // Both must outlive the handler.
  PositionHandler(ConsumerPositions& positions, QueueLocks& locks)
      : positions_(positions), locks_(locks) {}

  void RegisterWith(BrokerHandler& broker);
  void Handle(const Request& request, Responder responder) override;

 private:
  Result<Reply> Answer(const Command& command);
  Result<Reply> Query(const Fields& fields) const;
  Result<Reply> Commit(const Fields& fields);
  Result<Reply> Lock(std::string_view body);
  Result<Reply> Unlock(std::string_view body);

  ConsumerPositions& positions_;
  QueueLocks& locks_;
};

}  // namespace apogee
