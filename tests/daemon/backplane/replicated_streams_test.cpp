// How far streams are replicated: the table of states, and what lags.
#include "daemon/backplane/replicated_streams.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <initializer_list>

namespace surtitle {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Event = ReplicationEvent;
using State = ReplicationState;

State state_after(std::initializer_list<Event> events) {
  State state = State::kReplicated;
  for (const Event event : events) {
    state = next_state(state, event);
  }
  return state;
}

TEST(ReplicationState, OfARunningStreamFollowsTheRepliesOfRedis) {
  EXPECT_EQ(state_after({Event::kAppended}), State::kBehind);
  EXPECT_EQ(state_after({Event::kAppended, Event::kHasAll}), State::kReplicated);
  EXPECT_EQ(state_after({Event::kAppended, Event::kLacksEntries}), State::kBehind);
  EXPECT_EQ(state_after({Event::kAppended, Event::kOffsetLost}), State::kUnknown);
  EXPECT_EQ(state_after({Event::kOffsetLost, Event::kAppended}), State::kUnknown);
  EXPECT_EQ(state_after({Event::kOffsetLost, Event::kLacksEntries}), State::kBehind);
}

// Other streams keep their consent while a failed stream is sent again.
TEST(ReplicationState, StaysInQuarantineUntilRedisHasAllEntries) {
  EXPECT_EQ(state_after({Event::kFailed}), State::kQuarantined);
  EXPECT_EQ(state_after({Event::kFailed, Event::kAppended}), State::kQuarantined);
  EXPECT_EQ(state_after({Event::kFailed, Event::kOffsetLost}), State::kQuarantined);
  EXPECT_EQ(state_after({Event::kFailed, Event::kLacksEntries}), State::kRecovering);
  EXPECT_EQ(state_after({Event::kFailed, Event::kLacksEntries, Event::kAppended}),
            State::kRecovering);
  EXPECT_EQ(state_after({Event::kFailed, Event::kLacksEntries, Event::kFailed}),
            State::kQuarantined);
  EXPECT_EQ(state_after({Event::kFailed, Event::kLacksEntries, Event::kHasAll}),
            State::kReplicated);
}

TEST(ReplicationState, OfARetainedStreamChangesOnlyIfRedisIsReplaced) {
  for (const Event event : {Event::kAppended, Event::kOffsetLost, Event::kLacksEntries,
                            Event::kHasAll, Event::kFailed, Event::kReleased}) {
    EXPECT_EQ(state_after({Event::kReleased, event}), State::kRetained);
  }
  EXPECT_EQ(state_after({Event::kReleased, Event::kRedisReplaced}), State::kUnknown);
}

TEST(ReplicationState, IsUnknownOnceRedisIsReplaced) {
  for (const State state : {State::kUnknown, State::kBehind, State::kReplicated,
                            State::kQuarantined, State::kRecovering, State::kRetained}) {
    EXPECT_EQ(next_state(state, Event::kRedisReplaced), State::kUnknown);
    EXPECT_EQ(next_state(state, Event::kReleased), State::kRetained);
  }
}

// Its file receives the entries that Redis had before the claim.
TEST(ReplicatedStream, ThatWasClaimedLagsOnlyBehindNewEntries) {
  ReplicatedStream stream{.offset = 2, .at_claim = 2};
  stream.append();
  stream.append();
  EXPECT_EQ(stream.state, State::kReplicated);
  stream.append();
  EXPECT_EQ(stream.state, State::kBehind);
  stream.set_offset(3);
  EXPECT_EQ(stream.state, State::kReplicated);
}

class Lag : public ::testing::Test {
 protected:
  const TimePoint now_ = TimePoint() + std::chrono::seconds(1);
  ReplicatedStreams streams_{
      {"s-1", {.state = State::kReplicated, .order = 0, .local = 5, .offset = 5}},
      {"s-2", {.state = State::kBehind, .order = 2, .local = 5, .offset = 3}},
      {"s-3", {.state = State::kUnknown, .order = 1, .local = 4, .offset = 1}},
      {"s-4", {.state = State::kRetained, .order = 0, .local = 9}},
  };
};

TEST_F(Lag, CountsEntriesThatRedisMayLack) {
  const ReplicationLag lag = lag_of(streams_, now_);
  EXPECT_EQ(lag.entries, 2 + 4);
  EXPECT_TRUE(lag.may_send);
  EXPECT_FALSE(lag.caught_up);
  EXPECT_THAT(lag.streams, ElementsAre("s-2", "s-3"));
  EXPECT_EQ(oldest_backlog(streams_, now_)->first, "s-3");
}

TEST_F(Lag, OfStreamsInQuarantineConcernsThemAlone) {
  for (auto& [name, stream] : streams_) {
    if (is_lagging(stream.state)) {
      stream.apply(Event::kFailed);
      stream.until = now_ + std::chrono::seconds(1);
    }
  }
  const ReplicationLag lag = lag_of(streams_, now_);
  EXPECT_TRUE(lag.caught_up);
  EXPECT_FALSE(lag.may_send) << "before the retry";
  EXPECT_THAT(lag.streams, ElementsAre("s-2", "s-3"));
  EXPECT_EQ(oldest_backlog(streams_, now_), streams_.end());
  EXPECT_EQ(oldest_backlog(streams_, now_ + std::chrono::seconds(1))->first, "s-3");
}

TEST_F(Lag, IsNothingIfRedisHasAllEntries) {
  streams_.at("s-2").set_offset(5);
  streams_.at("s-3").set_offset(4);
  const ReplicationLag lag = lag_of(streams_, now_);
  EXPECT_EQ(lag.entries, 0);
  EXPECT_TRUE(lag.caught_up);
  EXPECT_THAT(lag.streams, IsEmpty());
}

}  // namespace
}  // namespace surtitle
