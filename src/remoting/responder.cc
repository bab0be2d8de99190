#include <utility>

#include "protocol/response_code.h"
#include "remoting/server.h"

namespace apogee {

Responder::Responder(std::shared_ptr<Target> target, const Command& request,
                     std::size_t request_bytes)
    : target_(std::move(target)),
      opaque_(request.opaque),
      form_(request.form),
      request_bytes_(request_bytes),
      oneway_(request.is_oneway()) {}

Responder& Responder::operator=(Responder&& other) noexcept {
  if (this == &other) return *this;
  const Responder old = std::move(*this);  // Answers at the end of the scope if nobody did.
  target_ = std::move(other.target_);
  opaque_ = other.opaque_;
  form_ = other.form_;
  request_bytes_ = other.request_bytes_;
  oneway_ = other.oneway_;
  return *this;
}

Responder::~Responder() {
  if (target_ == nullptr) return;
  if (oneway_) {
    Withhold();
  } else {
    Send(
        Reply::Of(ResponseCode::kSystemError, "the server dropped this request without an answer"));
  }
}

void Responder::Send(Reply reply) {
  if (const auto target = std::move(target_)) {
    target->Send(opaque_, form_, request_bytes_, oneway_, std::move(reply));
  }
}

void Responder::Withhold() {
  // As an answer to a one-way request: the bytes in flight are given back, nothing is written.
  if (const auto target = std::move(target_)) {
    target->Send(opaque_, form_, request_bytes_, /*oneway=*/true, Reply());
  }
}

}  // namespace apogee
