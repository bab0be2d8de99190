// Handlers whose work may block: a request is copied and answered from the work pool.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "broker/work_pool.h"
#include "endpoint/remoting/broker_handler.h"

namespace apogee {

// A request with its own memory.
struct OwnedRequest {
  std::int32_t code = 0;
  std::int32_t version = 0;
  Fields fields;
  std::string body;
};

class PooledHandler : public CommandHandler {
 public:
  explicit PooledHandler(WorkPool& pool) : pool_(pool) {}
  void Handle(const Request& request, Responder responder) final;

 protected:
  // On a pool thread. An error is answered with its code of outcome_codes.h and its text.
  virtual Result<Reply> Answer(const OwnedRequest& request) = 0;

 private:
  WorkPool& pool_;
};

}  // namespace apogee
