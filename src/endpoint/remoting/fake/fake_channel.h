// A channel without a socket and the requests and answers that pass over it. One thread: what is
// posted to its loop runs when the test says so.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "net/event_loop.h"
#include "protocol/command.h"
#include "remoting/server.h"

namespace apogee {

class HandLoop : public EventLoop {
 public:
  void Post(Task task) override { tasks_.push_back(std::move(task)); }
  TimerId RunAfter(std::chrono::nanoseconds, Task) override { return 0; }
  void Cancel(TimerId) override {}
  bool InLoop() const override { return true; }
  void Run() {
    while (!tasks_.empty()) {
      Task task = std::move(tasks_.front());
      tasks_.pop_front();
      task();
    }
  }

 private:
  std::deque<Task> tasks_;
};

class FakeChannel : public Channel {
 public:
  explicit FakeChannel(std::uint64_t id) : id_(id) {}

  const std::string& peer() const override { return peer_; }
  const std::string& local() const override { return local_; }
  std::uint64_t id() const override { return id_; }
  EventLoop& loop() override { return hand_loop; }
  Language language() const override { return Language::kJava; }
  std::int32_t version() const override { return kOurVersion; }
  HeaderForm form() const override { return HeaderForm::kJson; }
  void SendOneway(Command command, std::string body) override {
    sent.emplace_back(command.code, std::move(body));
  }
  void Close() override { closed_ = true; }
  bool closed() const override { return closed_; }

  HandLoop hand_loop;
  std::vector<std::pair<std::int32_t, std::string>> sent;

 private:
  const std::uint64_t id_;
  const std::string peer_ = "127.0.0.1:40312";
  const std::string local_ = "127.0.0.1:10911";
  bool closed_ = false;
};

// Takes the answer of one request.
class AnswerBox : public Responder::Target {
 public:
  void Send(std::int32_t, HeaderForm, std::size_t, bool oneway, Reply&& reply) override {
    if (!oneway) answer = std::move(reply);
  }
  std::optional<Reply> answer;
};

// Hands `command` to a handler as a server would; the box receives the answer.
inline std::shared_ptr<AnswerBox> Ask(RequestHandler& handler,
                                      const std::shared_ptr<FakeChannel>& channel,
                                      const Command& command) {
  auto box = std::make_shared<AnswerBox>();
  const std::shared_ptr<Channel> as_channel = channel;
  handler.Handle(Request{command, as_channel, 0}, Responder(box, command, 100));
  return box;
}

inline std::string BodyOf(const Reply& reply) {
  std::string body = reply.body;
  for (const PinnedBytes& piece : reply.more_body) body.append(piece.bytes);
  return body;
}

}  // namespace apogee
