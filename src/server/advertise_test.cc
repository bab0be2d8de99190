#include "server/advertise.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace apogee {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

const InterfaceAddress kLoopback{"lo", "127.0.0.1", true, false};
const InterfaceAddress kDocker{"docker0", "172.17.0.1", false, false};
const InterfaceAddress kEthernet{"eth0", "10.1.2.3", false, false};
const InterfaceAddress kLinkLocal{"eth0", "fe80::1", false, true};

AdvertiseInput Input(std::vector<InterfaceAddress> interfaces) {
  AdvertiseInput input;
  input.bind_address = "0.0.0.0";
  input.interfaces = std::move(interfaces);
  input.local_address_towards = [](const std::string&) -> Result<std::string> {
    return Fail(ErrorCode::kUnavailable, "no route");
  };
  return input;
}

TEST(AdvertiseTest, APrivateAddressIsTakenBeforeLoopback) {
  const auto chosen = ChooseAdvertised(Input({kLoopback, kDocker, kLinkLocal, kEthernet}));
  ASSERT_TRUE(chosen.ok());
  EXPECT_EQ(chosen->address, "10.1.2.3");
  EXPECT_THAT(chosen->reason, HasSubstr("eth0"));
  EXPECT_THAT(chosen->warnings, IsEmpty());
}

TEST(AdvertiseTest, AContainerBridgeIsNeverTakenSilently) {
  const auto chosen = ChooseAdvertised(Input({kLoopback, kDocker, kLinkLocal}));
  ASSERT_TRUE(chosen.ok());
  EXPECT_EQ(chosen->address, "172.17.0.1");
  ASSERT_EQ(chosen->warnings.size(), 1U);
  EXPECT_THAT(chosen->warnings[0], HasSubstr("docker0"));
}

TEST(AdvertiseTest, OnlyLoopbackIsTakenWithAWarning) {
  const auto chosen = ChooseAdvertised(Input({kLoopback}));
  ASSERT_TRUE(chosen.ok());
  EXPECT_EQ(chosen->address, "127.0.0.1");
  EXPECT_EQ(chosen->warnings.size(), 1U);
}

TEST(AdvertiseTest, LoopbackIsNeverToldToANameServerElsewhere) {
  AdvertiseInput input = Input({kLoopback});
  input.name_servers = {"127.0.0.1:9876", "10.9.9.9:9876"};
  EXPECT_THAT(ChooseAdvertised(input).error().message(), HasSubstr("10.9.9.9:9876"));
  input.broker_ip = "127.0.0.1";
  EXPECT_FALSE(ChooseAdvertised(input).ok());
  input.name_servers = {"127.0.0.1:9876"};
  EXPECT_TRUE(ChooseAdvertised(input).ok());
}

TEST(AdvertiseTest, TheWayToANameServerElsewhereDecides) {
  AdvertiseInput input = Input({kLoopback, kEthernet, {"eth1", "10.5.0.7", false, false}});
  input.name_servers = {"10.5.0.1:9876"};
  input.local_address_towards = [](const std::string& host) -> Result<std::string> {
    EXPECT_EQ(host, "10.5.0.1");
    return std::string("10.5.0.7");
  };
  const auto chosen = ChooseAdvertised(input);
  ASSERT_TRUE(chosen.ok());
  EXPECT_EQ(chosen->address, "10.5.0.7");
}

TEST(AdvertiseTest, WhatIsSetIsObeyed) {
  AdvertiseInput input = Input({kLoopback, kEthernet});
  input.bind_address = "127.0.0.1";
  EXPECT_EQ(ChooseAdvertised(input)->address, "127.0.0.1");
  input.broker_ip = "broker.example";
  EXPECT_EQ(ChooseAdvertised(input)->address, "broker.example");
}

}  // namespace
}  // namespace apogee
