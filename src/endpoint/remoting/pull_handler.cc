#include "endpoint/remoting/pull_handler.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "endpoint/remoting/channel_client.h"
#include "endpoint/remoting/pull_reply.h"
#include "message/sys_flag.h"
#include "protocol/request_code.h"
#include "protocol/response_code.h"

namespace apogee {
namespace {

std::int32_t Clamped(std::int64_t value) {
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(
      value, std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()));
}

Result<PullRequest> Decode(const Request& request, const ChannelClient& client) {
  const Fields& fields = request.command.fields;
  PullRequest pull;
  AP_TRY(pull.group, fields.RequireText("consumerGroup"));
  AP_TRY(pull.topic, fields.RequireText("topic"));
  AP_TRY(const std::int64_t queue_id, fields.RequireInt("queueId"));
  AP_TRY(pull.offset, fields.RequireInt("queueOffset"));
  AP_TRY(const std::int64_t max_messages, fields.RequireInt("maxMsgNums"));
  AP_TRY(const std::int64_t sys_flag, fields.RequireInt("sysFlag"));
  pull.queue_id = Clamped(queue_id);
  pull.max_messages = Clamped(max_messages);
  pull.sys_flag = Clamped(sys_flag);
  pull.max_bytes = Clamped(fields.Int("maxMsgBytes", 0));
  pull.commit_offset = fields.Int("commitOffset", -1);
  pull.suspend_ms = fields.Int("suspendTimeoutMillis", 0);
  pull.expression = fields.Text("subscription");
  pull.expression_type = fields.Text("expressionType");
  pull.subscription_version = fields.Int("subVersion", 0);
  pull.lite = request.command.code == RequestCode::kLitePullMessage;
  pull.client = client.id();
  pull.client_address = client.address();
  return pull;
}

}  // namespace

// A held pull with the memory of its request.
class PullHandler::WaitingPull : public HeldPull {
 public:
  WaitingPull(PullService& service, const PullRequest& request,
              std::shared_ptr<ChannelClient> client, Responder responder)
      : service_(service),
        client_(std::move(client)),
        responder_(std::move(responder)),
        request_(request) {
    texts_.reserve(request.group.size() + request.topic.size() + request.expression.size() +
                   request.expression_type.size());
    for (std::string_view* text :
         {&request_.group, &request_.topic, &request_.expression, &request_.expression_type}) {
      const std::size_t at = texts_.size();
      texts_.append(*text);
      *text = std::string_view(texts_).substr(at);
    }
    request_.client_address = client_->address();
  }

  void Resume(std::unique_ptr<HeldPull> self) override {
    ChannelClient& client = *client_;
    client.Post([this, kept = std::move(self)] { Answer(); });
  }

  void Answer() { responder_.Send(PullReply(service_.Pull(request_, PullService::Pass::kAgain))); }
  // With what was found before it came to holding.
  void AnswerWith(PullOutcome outcome) { responder_.Send(PullReply(std::move(outcome))); }

  const PullRequest& request() const { return request_; }

 private:
  PullService& service_;
  const std::shared_ptr<ChannelClient> client_;
  Responder responder_;
  std::string texts_;
  PullRequest request_;  // Views into `texts_`.
};

void PullHandler::RegisterWith(BrokerHandler& broker) {
  broker.Register(RequestCode::kPullMessage, this);
  broker.Register(RequestCode::kLitePullMessage, this);
  broker.Observe(this);
}

void PullHandler::Handle(const Request& request, Responder responder) {
  const Result<PullRequest> pull = Decode(request, ClientOf(request.channel));
  if (!pull.ok()) {
    return responder.Send(Reply::Of(ResponseCode::kSystemError, pull.error().message()));
  }
  std::shared_ptr<const Subscription> filter;
  PullOutcome outcome = service_.Pull(*pull, PullService::Pass::kFirst, &filter);
  const bool may_hold = (pull->sys_flag & kPullFlagSuspend) != 0 && !responder.oneway();
  if (outcome.status == PullStatus::kNothingNew && may_hold) {
    return Hold(*pull, std::move(filter), std::move(outcome), request, std::move(responder));
  }
  responder.Send(PullReply(std::move(outcome)));
}

void PullHandler::Hold(const PullRequest& request, std::shared_ptr<const Subscription> filter,
                       PullOutcome nothing_new, const Request& from, Responder responder) {
  auto pull = std::make_unique<WaitingPull>(service_, request, SharedClientOf(from.channel),
                                            std::move(responder));
  WaitingPull& waiting = *pull;
  std::unique_ptr<HeldPull> held = std::move(pull);
  const LongPoll::Wish wish{QueueRef(request.topic, request.queue_id), request.offset,
                            std::move(filter), request.suspend_ms, request.client};
  switch (long_poll_.Hold(wish, held)) {
    case LongPoll::Held::kHeld:
      return;  // `waiting` may be gone already.
    case LongPoll::Held::kArrived:
      return waiting.Answer();
    case LongPoll::Held::kStopped:
      return waiting.AnswerWith(std::move(nothing_new));
    case LongPoll::Held::kFull: {
      PullOutcome busy;
      busy.status = PullStatus::kBusy;
      busy.remark = fmt::format("too many pulls are waiting at this broker ({}): try again later",
                                long_poll_.waiting());
      return waiting.AnswerWith(std::move(busy));
    }
  }
}

}  // namespace apogee
