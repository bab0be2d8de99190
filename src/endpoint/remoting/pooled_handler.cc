#include "endpoint/remoting/pooled_handler.h"

#include <memory>
#include <utility>

#include "endpoint/remoting/outcome_codes.h"
#include "protocol/response_code.h"

namespace apogee {

void PooledHandler::Handle(const Request& request, Responder responder) {
  struct Job {
    OwnedRequest request;
    Responder responder;
  };
  auto job = std::make_unique<Job>();
  const Command& command = request.command;
  job->request.code = command.code;
  job->request.version = command.version;
  for (const Fields::Field& field : command.fields) {
    job->request.fields.AddView(job->request.fields.Keep(field.name),
                                job->request.fields.Keep(field.value));
  }
  job->request.body = command.body;
  job->responder = std::move(responder);

  Job* const waiting = job.get();
  WorkPool::Task task = [this, job = std::move(job)] {
    Result<Reply> reply = Answer(job->request);
    if (!reply.ok()) {
      reply = Reply::Of(ResponseCodeOf(reply.error()), reply.error().message());
    }
    job->responder.Send(*std::move(reply));
  };
  if (pool_.Post(std::move(task))) return;
  waiting->responder.Send(
      Reply::Of(ResponseCode::kSystemBusy,
                "[OVERLOAD]system busy, start flow control for a while: too much administrative "
                "work is waiting"));
}

}  // namespace apogee
