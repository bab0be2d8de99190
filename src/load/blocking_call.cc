#include "load/blocking_call.h"

#include <future>
#include <utility>

#include "protocol/response_code.h"

namespace apogee {

Result<std::shared_ptr<const Answer>> BlockingCaller::Call(const std::string& address,
                                                           Command command, std::string body) {
  std::promise<Result<std::shared_ptr<const Answer>>> promise;
  auto answer = promise.get_future();
  client_->Call(address, std::move(command), std::move(body), std::chrono::seconds(10),
                [&promise](Result<std::shared_ptr<const Answer>> result) {
                  promise.set_value(std::move(result));
                });
  return answer.get();
}

Status ExpectSuccess(const Answer& answer, const std::string& step) {
  if (answer.command.code == ResponseCode::kSuccess) return Ok();
  return Fail(ErrorCode::kInternal, step + ": code " + std::to_string(answer.command.code) + ": " +
                                        std::string(answer.command.remark));
}

}  // namespace apogee
