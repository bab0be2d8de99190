#include "server/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/properties.h"

namespace apogee {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(ConfigTest, AnUnknownKeyStopsAndNamesTheNearest) {
  Config config;
  const Status status = config.Load("brokername=a\n", "broker.conf");
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(status.error().message(), HasSubstr("broker.conf line 1"));
  EXPECT_THAT(status.error().message(), HasSubstr("\"brokerName\""));
  const Status typo = config.Set("flushDiskTypo=SYNC_FLUSH", "command line");
  ASSERT_FALSE(typo.ok());
  EXPECT_THAT(typo.error().message(), HasSubstr("\"flushDiskType\""));
}

TEST(ConfigTest, AKnownKeyWithoutEffectGivesOneLineThatSaysWhy) {
  Config config;
  ASSERT_TRUE(config.Load("timerMaxDelaySec=5\nbrokerName=a\n", "broker.conf").ok());
  EXPECT_THAT(config.Notices(),
              ElementsAre("timerMaxDelaySec=5 has no effect: timer messages are not served by this "
                          "version"));
}

TEST(ConfigTest, AValueOfTheWrongTypeIsRefused) {
  Config config;
  EXPECT_THAT(config.Set("listenPort=abc", "x").error().message(), HasSubstr("\"abc\""));
  EXPECT_FALSE(config.Set("autoCreateTopicEnable=yes", "x").ok());
  EXPECT_FALSE(config.Set("noassignment", "x").ok());
}

TEST(ConfigTest, ALaterAssignmentWinsAndTheDumpShowsIt) {
  Config config;
  ASSERT_TRUE(config.Load("listenPort=1\n", "file").ok());
  ASSERT_TRUE(config.Set("listenPort=2", "command line").ok());
  EXPECT_EQ(config.Int("listenPort"), 2);
  EXPECT_THAT(config.Dump(ConfigScope::kBroker), HasSubstr("\nlistenPort=2\n"));
  EXPECT_THAT(config.Dump(ConfigScope::kBroker), Not(HasSubstr("kvConfigPath")));
}

TEST(ConfigTest, EveryKeyHasADefaultOfItsType) {
  for (const ConfigKey& key : ConfigKeys()) {
    if (!key.no_effect.empty() || key.default_value.empty()) continue;
    Config config;
    EXPECT_TRUE(config.Set(key.name, key.default_value, "default").ok()) << key.name;
  }
}

TEST(PropertiesTest, ReadsJavasForms) {
  const auto parsed = ParseProperties(
      "# comment\n! too\n\na=1\n b : two words \r\nc three\nd=x\\\n   y\ne\\:f=\\u00e9\\t|\nlast");
  ASSERT_TRUE(parsed.ok());
  std::vector<std::string> seen;
  for (const Property& property : *parsed) seen.push_back(property.key + ">" + property.value);
  EXPECT_THAT(seen, ElementsAre("a>1", "b>two words", "c>three", "d>xy", "e:f>\u00e9\t|", "last>"));
  EXPECT_EQ((*parsed)[3].line, 7);
}

TEST(PropertiesTest, ABrokenEscapeNamesItsLine) {
  const auto parsed = ParseProperties("a=1\nb=\\u00g0\n");
  ASSERT_FALSE(parsed.ok());
  EXPECT_THAT(parsed.error().message(), HasSubstr("line 2"));
}

TEST(PropertiesTest, AnEmptyTextHasNone) {
  EXPECT_THAT(*ParseProperties(""), IsEmpty());
  EXPECT_THAT(*ParseProperties("\n\n#x"), IsEmpty());
}

}  // namespace
}  // namespace apogee
