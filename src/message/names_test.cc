#include "message/names.h"

#include <gtest/gtest.h>

namespace apogee {
namespace {

std::string Refusal(const Status& status) {
  if (status.ok()) return "";
  EXPECT_EQ(status.error().code(), ErrorCode::kInvalidArgument);
  return status.error().message();
}

TEST(NamesTest, TopicNames) {
  EXPECT_TRUE(CheckTopicName("%RETRY%a-b_C|9").ok());
  EXPECT_TRUE(CheckTopicName(std::string(127, 't')).ok());
  EXPECT_EQ(Refusal(CheckTopicName("")), "The specified topic is blank.");
  EXPECT_EQ(Refusal(CheckTopicName(" \t")), "The specified topic is blank.");
  const std::string too_long(128, 't');
  EXPECT_EQ(Refusal(CheckTopicName(too_long)),
            "The specified topic: " + too_long + ", is longer than topic max length: 127");
  for (const char* name : {"a b", "a.b", "a/b", "../x", "a\n", "\xC3\xA4", "a@b"}) {
    EXPECT_EQ(Refusal(CheckTopicName(name)),
              std::string("The specified topic: ") + name +
                  ", contains illegal characters, allowing only ^[%|a-zA-Z0-9_-]+$");
  }
}

TEST(NamesTest, RetryAndDeadLetterTopicsMayBeLonger) {
  for (const std::string prefix : {"%RETRY%", "%DLQ%"}) {
    EXPECT_TRUE(CheckTopicName(prefix + std::string(255 - prefix.size(), 'g')).ok());
    EXPECT_FALSE(CheckTopicName(prefix + std::string(256 - prefix.size(), 'g')).ok());
  }
  EXPECT_EQ(RetryTopicOf("g"), "%RETRY%g");
}

TEST(NamesTest, GroupNames) {
  EXPECT_TRUE(CheckGroupName(std::string(120, 'g')).ok());
  EXPECT_NE(Refusal(CheckGroupName(std::string(121, 'g'))).find("group max length: 120"),
            std::string::npos);
  EXPECT_EQ(Refusal(CheckGroupName("bad g!")),
            "The specified group: bad g!, contains illegal characters, allowing only "
            "^[%|a-zA-Z0-9_-]+$");
}

TEST(NamesTest, SystemTopics) {
  for (const char* name : {"TBW102", "SCHEDULE_TOPIC_XXXX", "rmq_sys_anything", "c1",
                           "c1_REPLY_TOPIC", "BenchmarkTest", "CHECKPOINT_TOPIC"}) {
    EXPECT_TRUE(IsSystemTopic(name, "c1")) << name;
  }
  for (const char* name : {"orders", "c1x", "c1_REPLY_TOPICS", "c2", "%RETRY%g", "rmq_sy"}) {
    EXPECT_FALSE(IsSystemTopic(name, "c1")) << name;
  }
}

TEST(NamesTest, TopicsThatNobodyMaySendTo) {
  EXPECT_TRUE(IsSendForbidden("SELF_TEST_TOPIC"));
  EXPECT_TRUE(IsSendForbidden("RMQ_SYS_TRANS_OP_HALF_TOPIC"));
  EXPECT_FALSE(IsSendForbidden("TBW102"));
  EXPECT_FALSE(IsSendForbidden("rmq_sys_wheel_timer"));
}

TEST(NamesTest, SystemGroups) {
  EXPECT_TRUE(IsSystemGroup("TOOLS_CONSUMER"));
  EXPECT_TRUE(IsSystemGroup("CID_RMQ_SYS_TRANS"));
  EXPECT_FALSE(IsSystemGroup("CID_RMQ_SYS"));
}

}  // namespace
}  // namespace apogee
