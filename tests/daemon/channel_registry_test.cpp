#include "daemon/channel_registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace surtitle {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class Seat : public ChannelViewer {
 public:
  void show(const SharedText& message) override { seen.push_back(*message); }
  std::vector<std::string> seen;
};

class ChannelRegistryTest : public ::testing::Test {
 protected:
  void publish(const protocol::ServerMessage& message) {
    registry_.publish("main", message, share(message));
  }

  std::vector<std::string> snapshot() const {
    std::vector<std::string> texts;
    for (const SharedText& text : registry_.snapshot("main")) {
      texts.push_back(*text);
    }
    return texts;
  }

  static std::string text(const protocol::ServerMessage& message) {
    return protocol::to_json(message);
  }

  ChannelRegistry registry_;
};

const protocol::ServerMessage kState = protocol::State{true, "m", "p", "s"};
const protocol::ServerMessage kGone = protocol::State{false, {}, {}, {}};

TEST_F(ChannelRegistryTest, HasOneSenderAtATime) {
  EXPECT_TRUE(registry_.claim("main", {"s", "m", "p"}));
  EXPECT_FALSE(registry_.claim("main", {"t", "m", "p"}));
  EXPECT_TRUE(registry_.claim("other", {"t", "m", "p"}));
  EXPECT_EQ(registry_.sender("main")->stream, "s");
  registry_.release("main");
  EXPECT_FALSE(registry_.sender("main").has_value());
  EXPECT_TRUE(registry_.claim("main", {"t", "m", "p"}));
}

TEST_F(ChannelRegistryTest, ViewersStayWhileSendersComeAndGo) {
  Seat seat;
  registry_.watch("main", seat);
  registry_.claim("main", {"s", "m", "p"});
  publish(protocol::SourceWords{0, "Ja", {}});
  registry_.release("main");
  registry_.claim("main", {"s", "m", "p"});
  EXPECT_THAT(seat.seen, ElementsAre(text(kState), text(protocol::SourceWords{0, "Ja", {}}),
                                     text(kGone), text(kState)));
  registry_.leave("main", seat);
  publish(protocol::SourceWords{0, "Nein", {}});
  EXPECT_EQ(seat.seen.size(), 4U);
}

TEST_F(ChannelRegistryTest, SnapshotHoldsTheOpenSentencesAndTheLastTwoFinished) {
  registry_.claim("main", {"s", "m", "p"});
  std::vector<std::string> expected;
  for (int sentence = 0; sentence < 5; ++sentence) {
    const std::vector<protocol::ServerMessage> messages{
        protocol::SourceWords{sentence, "Ja", {}}, protocol::Write{sentence, 0, "YES", 1, 1, 0},
        protocol::Sentence{sentence, "Ja", "YES", {}, {}}};
    const std::size_t count = sentence == 4 ? 2 : 3;  // the last one is open
    for (std::size_t i = 0; i < count; ++i) {
      publish(messages[i]);
      if (sentence >= 2) {
        expected.push_back(text(messages[i]));
      }
    }
    publish(protocol::Metrics{});  // live only
  }
  EXPECT_EQ(snapshot(), expected);
}

TEST_F(ChannelRegistryTest, ANewSenderStartsWithAnEmptySnapshot) {
  Seat seat;
  registry_.watch("main", seat);
  registry_.claim("main", {"s", "m", "p"});
  publish(protocol::SourceWords{0, "Ja", {}});
  registry_.release("main");
  EXPECT_EQ(snapshot().size(), 1U);  // who comes now still sees where it ended
  registry_.claim("main", {"t", "m", "p"});
  EXPECT_THAT(snapshot(), IsEmpty());
}

TEST_F(ChannelRegistryTest, ForgetsAChannelThatNobodyUses) {
  registry_.claim("main", {"s", "m", "p"});
  publish(protocol::SourceWords{0, "Ja", {}});
  registry_.release("main");
  EXPECT_THAT(snapshot(), IsEmpty());
}

}  // namespace
}  // namespace surtitle
