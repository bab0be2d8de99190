// Calls that wait for their answer, for the steps before a run. Not on the loop.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "net/event_loop.h"
#include "remoting/client.h"

namespace apogee {

class BlockingCaller {
 public:
  explicit BlockingCaller(EventLoop& loop) : client_(RemotingClient::Create(loop)) {}

  // At most 10 s.
  Result<std::shared_ptr<const Answer>> Call(const std::string& address, Command command,
                                             std::string body);

 private:
  std::unique_ptr<RemotingClient> client_;
};

// kInternal with code and remark of the answer, unless that is code 0.
Status ExpectSuccess(const Answer& answer, const std::string& step);

}  // namespace apogee
