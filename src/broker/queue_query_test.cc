#include "broker/queue_query.h"

#include <gtest/gtest.h>

#include "broker/fake/broker_parts.h"

namespace apogee {
namespace {

class QueueQueryTest : public testing::Test {
 protected:
  void StoreOne() {
    RecordFields record;
    record.topic = "T";
    record.body = "x";
    ASSERT_TRUE(parts_.store.Append({&record, 1}).ok());
  }

  BrokerParts parts_;
  QueueQuery query_{parts_.store};
  const QueueRef queue_{"T", 0};
};

TEST_F(QueueQueryTest, AQueueThatDoesNotExistIsEmptyAndStaysAway) {
  EXPECT_EQ(query_.MinOffset(queue_), 0);
  EXPECT_EQ(query_.MaxOffset(queue_), 0);
  EXPECT_EQ(query_.OffsetByTime(queue_, 0, TimeBoundary::kLower).value(), 0);
  EXPECT_EQ(query_.EarliestStoreTimeMs(queue_), -1);
  EXPECT_TRUE(parts_.store.queues.empty());
}

TEST_F(QueueQueryTest, BoundsAndTimesAreTheQueues) {
  StoreOne();
  StoreOne();
  EXPECT_EQ(query_.MaxOffset(queue_), 2);
  EXPECT_EQ(query_.EarliestStoreTimeMs(queue_), parts_.clock.WallMs());
  parts_.store.queues.at({"T", 0}).min = 2;
  EXPECT_EQ(query_.MinOffset(queue_), 2);
  EXPECT_EQ(query_.EarliestStoreTimeMs(queue_), -1) << "nothing is left";
}

TEST_F(QueueQueryTest, MessagesAreFoundByPlaceAlone) {
  StoreOne();
  EXPECT_TRUE(query_.MessageAt(LogOffset(0)).ok());
  EXPECT_FALSE(query_.MessageAt(LogOffset(1)).ok());
  EXPECT_FALSE(query_.MessageAt(LogOffset(-1)).ok());
}

}  // namespace
}  // namespace apogee
