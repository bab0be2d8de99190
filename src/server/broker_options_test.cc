#include "server/broker_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace apogee {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Result<BrokerOptions> From(std::string_view properties) {
  Config config;
  const Status loaded = config.Load(properties, "broker.conf");
  if (!loaded.ok()) return std::unexpected(loaded.error());
  return BrokerOptionsFrom(config, std::int64_t{8} << 30, "my-host");
}

TEST(BrokerOptionsTest, DefaultsAreApaches) {
  const Result<BrokerOptions> options = From("");
  ASSERT_TRUE(options.ok()) << options.error().message();
  EXPECT_EQ(options->identity.name, "my-host");
  EXPECT_EQ(options->identity.cluster, "DefaultCluster");
  EXPECT_EQ(options->port, 10911);
  EXPECT_EQ(options->store.segment_bytes, std::int64_t{1} << 30);
  EXPECT_EQ(options->store.queue_file_bytes, 6'000'000);
  EXPECT_EQ(options->store.flush_mode, FlushMode::kAsync);
  EXPECT_EQ(options->topics.default_queues, 8);
  EXPECT_TRUE(options->topics.auto_create);
}

TEST(BrokerOptionsTest, AnApacheFileIsTakenAsItIs) {
  const Result<BrokerOptions> options = From(R"(# cluster of two
brokerClusterName = DefaultCluster
brokerName: broker-a
brokerId=0
deleteWhen=04
fileReservedTime=48
brokerRole=ASYNC_MASTER
flushDiskType=SYNC_FLUSH
namesrvAddr=10.0.0.1:9876;10.0.0.2:9876
autoCreateTopicEnable=FALSE
)");
  ASSERT_TRUE(options.ok()) << options.error().message();
  EXPECT_EQ(options->identity.name, "broker-a");
  EXPECT_EQ(options->store.flush_mode, FlushMode::kSync);
  EXPECT_FALSE(options->topics.auto_create);
  EXPECT_THAT(options->name_servers, ElementsAre("10.0.0.1:9876", "10.0.0.2:9876"));
}

TEST(BrokerOptionsTest, WhatCannotBeServedSafelyIsRefusedByName) {
  for (const auto& [line, named] : std::initializer_list<std::pair<const char*, const char*>>{
           {"brokerRole=SLAVE", "brokerRole=SLAVE"},
           {"aclEnable=true", "aclEnable=true"},
           {"authenticationEnabled=true", "authentication"},
           {"enableDLegerCommitLog=true", "replication"},
           {"inSyncReplicas=2", "inSyncReplicas=2"},
           {"flushDiskType=SOMETIMES", "SOMETIMES"},
           {"listenPort=70000", "70000"},
           {"brokerName=with blank", "with blank"},
           {"namesrvAddr=ns1:9876;;ns2:9876", "\"\""},
           {"namesrvAddr=ns1:9876,", "separator"},
           {"namesrvAddr=[1:2:3]:9876", "[1:2:3]:9876"},
           {"namesrvAddr=[1::2::3]:9876", "[1::2::3]:9876"}}) {
    const Result<BrokerOptions> options = From(line);
    ASSERT_FALSE(options.ok()) << line;
    EXPECT_THAT(options.error().message(), HasSubstr(named)) << line;
  }
}

TEST(AddressListTest, TakesIpv6InBrackets) {
  const auto list = ParseAddressList("[::1]:9876");
  ASSERT_TRUE(list.ok());
  EXPECT_THAT(*list, ElementsAre("[::1]:9876"));
}

}  // namespace
}  // namespace apogee
