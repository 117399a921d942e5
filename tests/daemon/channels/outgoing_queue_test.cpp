#include "daemon/channels/outgoing_queue.h"

#include <gtest/gtest.h>

#include <string>

namespace surtitle {
namespace {

OutgoingText message(std::size_t bytes, bool counted = true) {
  return {std::make_shared<const std::string>(bytes, 'x'), std::nullopt, counted};
}

TEST(OutgoingQueue, IsBoundedByMessages) {
  OutgoingQueue queue(2, 1000);
  EXPECT_TRUE(queue.push(message(1)));
  EXPECT_FALSE(queue.more_than_half_full());
  EXPECT_TRUE(queue.push(message(1)));
  EXPECT_TRUE(queue.more_than_half_full());
  EXPECT_FALSE(queue.push(message(1)));
  const OutgoingText first = queue.pop();
  EXPECT_FALSE(queue.push(message(1)));  // the socket still writes it
  queue.written(first);
  EXPECT_TRUE(queue.push(message(1)));
}

TEST(OutgoingQueue, AcceptsMoreWithoutABound) {
  constexpr auto kNone = OutgoingQueue::Bound::kNone;
  OutgoingQueue queue(2, 1000);
  for (int i = 0; i < 5; ++i) {
    EXPECT_TRUE(queue.push(message(1), kNone));
  }
  EXPECT_EQ(queue.messages(), 5);
  EXPECT_TRUE(queue.more_than_half_full());
  OutgoingText droppable = message(1);
  droppable.droppable = true;
  EXPECT_TRUE(queue.push(droppable, kNone));
  EXPECT_EQ(queue.messages(), 5) << "a droppable message is left out nevertheless";
}

TEST(OutgoingQueue, IsBoundedByBytes) {
  OutgoingQueue queue(100, 10);
  EXPECT_TRUE(queue.push(message(6)));
  EXPECT_TRUE(queue.more_than_half_full());
  EXPECT_FALSE(queue.push(message(5)));
  EXPECT_TRUE(queue.push(message(4)));
}

TEST(OutgoingQueue, AcceptsMessagesThatDoNotCount) {
  OutgoingQueue queue(1, 10);
  EXPECT_TRUE(queue.push(message(1)));
  EXPECT_TRUE(queue.push(message(100, /*counted=*/false)));
  queue.written(queue.pop());
  EXPECT_FALSE(queue.more_than_half_full());
  queue.written(queue.pop());
  EXPECT_TRUE(queue.empty());
  EXPECT_TRUE(queue.push(message(10)));
}

TEST(OutgoingQueue, LeavesOutDroppableMessagesBeyondAQuarter) {
  OutgoingQueue queue(100, 100);
  OutgoingText droppable = message(20);
  droppable.droppable = true;
  EXPECT_TRUE(queue.push(droppable));
  EXPECT_EQ(queue.messages(), 1);
  EXPECT_TRUE(queue.push(droppable));
  EXPECT_EQ(queue.messages(), 1) << "left out";
  EXPECT_TRUE(queue.push(message(80))) << "the rest is for messages that are needed";
  EXPECT_TRUE(queue.push(droppable)) << "left out within every bound";
  EXPECT_FALSE(queue.push(message(1)));
  queue.written(queue.pop());
  queue.written(queue.pop());
  EXPECT_TRUE(queue.push(droppable));
  EXPECT_EQ(queue.messages(), 1);
}

TEST(OutgoingQueue, CountsNothingAfterClear) {
  OutgoingQueue queue(2, 10);
  queue.push(message(5));
  queue.push(message(5));
  const OutgoingText with_the_socket = queue.pop();
  queue.clear();
  queue.written(with_the_socket);
  EXPECT_TRUE(queue.empty());
  EXPECT_TRUE(queue.push(message(10)));
}

TEST(OutgoingQueue, CountsMessagesAfterClearWhileTheSocketStillWrites) {
  OutgoingQueue queue(2, 10);
  queue.push(message(5));
  const OutgoingText with_the_socket = queue.pop();
  queue.clear();
  queue.push(message(6));
  queue.written(with_the_socket);
  EXPECT_FALSE(queue.push(message(5))) << "six of ten bytes wait";
  queue.written(queue.pop());
  EXPECT_TRUE(queue.push(message(10)));
}

}  // namespace
}  // namespace surtitle
