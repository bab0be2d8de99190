// A client that remembers what it was told.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "broker/client_handle.h"

namespace apogee {

class FakeClient : public ClientHandle {
 public:
  explicit FakeClient(std::uint64_t id) : id_(id) {}

  std::uint64_t id() const override { return id_; }
  const std::string& address() const override { return address_; }
  std::string language() const override { return "JAVA"; }
  std::int32_t version() const override { return 513; }
  void NotifyConsumerIdsChanged(std::string_view group) override { notices.emplace_back(group); }
  void Close() override { closed = true; }

  std::vector<std::string> notices;
  bool closed = false;

 private:
  const std::uint64_t id_;
  const std::string address_ = "127.0.0.1:" + std::to_string(40'000 + id_);
};

}  // namespace apogee
