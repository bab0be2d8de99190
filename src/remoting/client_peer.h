// One address that a client calls: its connection and the calls that wait for answers. Private to
// this room. On the client's loop.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "net/connection.h"
#include "remoting/client.h"

namespace apogee {

class ClientPeer : public std::enable_shared_from_this<ClientPeer> {
 public:
  ClientPeer(EventLoop& loop, std::string address) : loop_(loop), address_(std::move(address)) {}

  void Call(std::int32_t opaque, std::string frame, std::chrono::milliseconds timeout,
            RemotingClient::Done done);
  void SendOneway(std::string frame);
  // Closes the connection and fails what waits.
  void End();

  // From the connection's handler: bytes consumed.
  std::size_t OnBytes(Connection& connection, std::string_view input);
  void OnClose(const Connection& connection);
  std::size_t wanted() const { return wanted_; }

 private:
  struct Pending {
    RemotingClient::Done done;
    EventLoop::TimerId timer = 0;
  };

  // Whether `bytes` more may wait for the connection.
  bool HasRoom(std::size_t bytes) const;
  void Write(std::string frame);
  void Connect();
  void OnDialled(Result<std::shared_ptr<Connection>> dialled);
  void Finish(std::int32_t opaque, Result<std::shared_ptr<const Answer>> result);
  void FailAll(const Error& error);

  EventLoop& loop_;
  const std::string address_;
  std::shared_ptr<Connection> connection_;
  bool dialling_ = false;
  bool ended_ = false;
  std::string unsent_;  // Whole frames that wait for the connection.
  std::unordered_map<std::int32_t, Pending> pending_;
  std::size_t wanted_ = 0;
};

}  // namespace apogee
