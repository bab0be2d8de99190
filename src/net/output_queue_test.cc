#include "net/output_queue.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace apogee {
namespace {

std::string Front(const OutputQueue& queue, std::size_t vectors_max = 64) {
  std::array<iovec, 64> vectors;
  const std::size_t filled = queue.Gather(std::span(vectors).first(vectors_max));
  std::string text;
  for (std::size_t i = 0; i < filled; ++i) {
    text.append(static_cast<const char*>(vectors[i].iov_base), vectors[i].iov_len);
  }
  return text;
}

TEST(OutputQueue, KeepsTextAndPiecesInOrder) {
  OutputQueue queue;
  queue.AddPinned("[first]", nullptr);
  queue.text().append("abc");
  queue.AddPinned("[one]", nullptr);
  queue.AddPinned("[two]", nullptr);
  queue.text().append("def");
  EXPECT_EQ(Front(queue), "[first]abc[one][two]def");
  EXPECT_EQ(queue.bytes(), 23U);
}

TEST(OutputQueue, LeavesByteByByteWithoutLosingAny) {
  OutputQueue queue;
  queue.text().append("ab");
  queue.AddPinned("123", nullptr);
  queue.text().append("cd");
  std::string left;
  while (!queue.empty()) {
    left.push_back(Front(queue).front());
    queue.Consume(1);
  }
  EXPECT_EQ(left, "ab123cd");
}

TEST(OutputQueue, DropsThePinOnceItsPieceHasLeft) {
  OutputQueue queue;
  auto pin = std::make_shared<int>(1);
  const std::weak_ptr<int> alive = pin;
  queue.AddPinned("1234", std::move(pin));
  queue.text().append("tail");
  queue.Consume(3);
  EXPECT_FALSE(alive.expired());
  queue.Consume(1);
  EXPECT_TRUE(alive.expired());
  EXPECT_EQ(Front(queue), "tail");
}

TEST(OutputQueue, CutsOffALongSentPrefix) {
  OutputQueue queue;
  queue.text().append(std::string(200'000, 'x'));
  queue.AddPinned("[pin]", nullptr);
  queue.text().append("end");
  queue.Consume(199'999);
  EXPECT_LT(queue.text().size(), 100U);
  EXPECT_EQ(Front(queue), "x[pin]end");
}

TEST(OutputQueue, FillsNoMoreVectorsThanGiven) {
  OutputQueue queue;
  for (int i = 0; i < 10; ++i) {
    queue.text().append("t");
    queue.AddPinned("p", nullptr);
  }
  EXPECT_EQ(Front(queue, 3), "tpt");
  queue.Consume(3);
  EXPECT_EQ(Front(queue), "ptptptptptptptptp");
}

TEST(OutputQueue, HandsItsMemoryOver) {
  OutputQueue queue;
  std::string spare;
  queue.text().append(std::string(5000, 'x'));
  queue.Consume(5000);
  queue.GiveMemoryTo(&spare);
  EXPECT_GE(spare.capacity(), 5000U);
  EXPECT_LT(queue.text().capacity(), 100U);
  queue.TakeMemoryFrom(&spare);
  EXPECT_GE(queue.text().capacity(), 5000U);
}

}  // namespace
}  // namespace apogee
