// The texts are those that Apache 5.5.0 was recorded with.
#include "broker/topic_attributes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace apogee {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

// The error's text, or "" when the change is fine.
std::string Apply(std::string_view text, const TopicAttributes* current,
                  TopicAttributes* merged = nullptr) {
  const Result<TopicAttributes> changes = ParseAttributeChanges(text);
  if (!changes.ok()) return changes.error().message();
  const Result<TopicAttributes> result = MergeTopicAttributes(current, *changes);
  if (!result.ok()) return result.error().message();
  if (merged != nullptr) *merged = *result;
  return "";
}

TEST(TopicAttributesTest, CreatesChangesAndRemoves) {
  TopicAttributes attributes;
  EXPECT_EQ(Apply("+message.type=FIFO,+reserve.time=-1", nullptr, &attributes), "");
  EXPECT_THAT(attributes, ElementsAre(Pair("message.type", "FIFO"), Pair("reserve.time", "-1")));
  EXPECT_EQ(Apply("+message.type=NORMAL,-reserve.time", &attributes, &attributes), "");
  EXPECT_THAT(attributes, ElementsAre(Pair("message.type", "NORMAL")));
  EXPECT_EQ(Apply("", nullptr, &attributes), "");
  EXPECT_THAT(attributes, IsEmpty());
}

TEST(TopicAttributesTest, RefusesWithApachesTexts) {
  EXPECT_EQ(Apply("+no.such=1", nullptr), "unsupported key: no.such");
  EXPECT_EQ(Apply("+message.type=FOO", nullptr),
            "value is not in set: [UNSPECIFIED, MIXED, TRANSACTION, PRIORITY, FIFO, DELAY, LITE, "
            "NORMAL]");
  EXPECT_EQ(Apply("-message.type", nullptr),
            "only add attribute is supported while creating topic. key: message.type");
  EXPECT_EQ(Apply("message.type=FIFO", nullptr),
            "add/alter attribute format is wrong: message.type");
  EXPECT_EQ(Apply("+message.type=FIFO,+message.type=NORMAL", nullptr),
            "key duplication: +message.type");
  const TopicAttributes current = {{"message.type", "FIFO"}};
  EXPECT_EQ(Apply("+queue.type=BatchCQ", &current),
            "attempt to update an unchangeable attribute. key: queue.type");
}

TEST(TopicAttributesTest, RefusesWhatContradictsItself) {
  const TopicAttributes current = {{"message.type", "FIFO"}};
  EXPECT_NE(Apply("+message.type=NORMAL,-message.type", &current), "");
  EXPECT_NE(Apply("-reserve.time", &current), "");
  EXPECT_NE(Apply("message.type", &current), "");
  EXPECT_NE(Apply("+", &current), "");
  EXPECT_NE(Apply("+=x", &current), "");
  EXPECT_NE(Apply("+reserve.time=-2", &current), "");
  EXPECT_NE(Apply("+reserve.time=soon", &current), "");
  EXPECT_NE(Apply("+message.type=", &current), "");
}

}  // namespace
}  // namespace apogee
