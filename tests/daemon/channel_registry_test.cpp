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

const std::vector<protocol::Track> kTracks{{"", "en", "m", "p"}, {"fr", "fr", "n", "q"}};

class ChannelRegistryTest : public ::testing::Test {
 protected:
  bool claim(const std::string& name, const std::string& stream) {
    return registry_.claim(name, {stream, kTracks, [this] { ++changes_; }});
  }

  void publish(const protocol::ServerMessage& message, const std::string& name = "main") {
    registry_.publish(name, message, share(message));
  }

  static std::string text(const protocol::ServerMessage& message) {
    return protocol::to_json(message);
  }

  ChannelRegistry registry_{{.sentences = 100, .silent_channels = 2}};
  int changes_ = 0;  // of viewers, as the sender was told
};

const protocol::ServerMessage kState = protocol::State{true, "m", "p", "s", kTracks};
const protocol::ServerMessage kGone = protocol::State{false, {}, {}, {}};
const protocol::ServerMessage kYes = protocol::SourceWords{0, "Ja", {}};

TEST_F(ChannelRegistryTest, HasOneSenderAtATime) {
  EXPECT_TRUE(claim("main", "s"));
  EXPECT_FALSE(claim("main", "t"));
  EXPECT_TRUE(claim("other", "t"));
  EXPECT_EQ(registry_.sender("main")->stream, "s");
  registry_.release("main");
  EXPECT_FALSE(registry_.sender("main").has_value());
  EXPECT_TRUE(claim("main", "t"));
}

TEST_F(ChannelRegistryTest, ViewersStayWhileSendersComeAndGo) {
  Seat seat;
  registry_.watch("main", seat, {});
  claim("main", "s");
  publish(kYes);
  registry_.release("main");
  claim("main", "s");
  EXPECT_THAT(seat.seen, ElementsAre(text(kState), text(kYes), text(kGone), text(kState)));
  registry_.leave("main", seat);
  publish(kYes);
  EXPECT_EQ(seat.seen.size(), 4U);
}

TEST_F(ChannelRegistryTest, AViewerOfOneTrackIsShownItAndWhatBelongsToNone) {
  Seat first;
  Seat french;
  Seat all;
  claim("main", "s");
  registry_.watch("main", first, {.track = ""});
  registry_.watch("main", french, {.track = "fr"});
  registry_.watch("main", all, {});
  const protocol::ServerMessage yes = protocol::Write{0, 0, "Yes", 1, 1, 0};
  const protocol::ServerMessage oui = protocol::Write{0, 0, "Oui", 1, 1, 0, "fr"};
  publish(kYes);
  publish(yes);
  publish(oui);
  EXPECT_THAT(first.seen, ElementsAre(text(kYes), text(yes)));
  EXPECT_THAT(french.seen, ElementsAre(text(kYes), text(oui)));
  EXPECT_THAT(all.seen, ElementsAre(text(kYes), text(yes), text(oui)));
}

TEST_F(ChannelRegistryTest, AttentionIsForThoseWhoAskForIt) {
  Seat reader;
  Seat researcher;
  Seat french;
  claim("main", "s");
  registry_.watch("main", reader, {});
  registry_.watch("main", researcher, {.attention = true});
  registry_.watch("main", french, {.track = "fr", .attention = true});
  const protocol::ServerMessage yes = protocol::Write{0, 0, "Yes", 1, 1, 0};
  const protocol::ServerMessage looked = protocol::Attention{0, 0, "Yes", 1, 0, {"Ja"}, {}};
  publish(yes);
  publish(looked);
  EXPECT_THAT(reader.seen, ElementsAre(text(yes)));
  EXPECT_THAT(researcher.seen, ElementsAre(text(yes), text(looked)));
  EXPECT_THAT(french.seen, IsEmpty());
}

TEST_F(ChannelRegistryTest, TheSenderHearsThatViewersComeAndGo) {
  Seat seat;
  registry_.watch("main", seat, {});
  claim("main", "s");
  EXPECT_EQ(registry_.viewers("main"), 1);
  EXPECT_EQ(changes_, 0);
  Seat other;
  registry_.watch("main", other, {});
  registry_.leave("main", seat);
  EXPECT_EQ(registry_.viewers("main"), 1);
  EXPECT_EQ(changes_, 2);
}

TEST_F(ChannelRegistryTest, KeepsWhatWasSaidUntilTheNextSender) {
  claim("main", "s");
  publish(kYes);
  registry_.release("main");
  EXPECT_EQ(registry_.transcript("main")->sentences().size(), 1U);
  claim("main", "t");
  EXPECT_THAT(registry_.transcript("main")->sentences(), IsEmpty());
}

TEST_F(ChannelRegistryTest, ForgetsTheChannelThatHasBeenSilentLongest) {
  for (const std::string name : {"a", "b", "c"}) {
    claim(name, "s");
    publish(kYes, name);
    registry_.release(name);
  }
  EXPECT_EQ(registry_.transcript("a"), nullptr);
  EXPECT_NE(registry_.transcript("b"), nullptr);
  Seat seat;
  registry_.watch("b", seat, {});  // it is no longer forgotten
  for (const std::string name : {"d", "e"}) {
    claim(name, "s");
    publish(kYes, name);
    registry_.release(name);
  }
  EXPECT_NE(registry_.transcript("b"), nullptr);
  EXPECT_EQ(registry_.transcript("c"), nullptr);
}

TEST_F(ChannelRegistryTest, HasNothingToRememberWhereNothingWasSaid) {
  Seat seat;
  registry_.watch("main", seat, {});
  registry_.leave("main", seat);
  claim("other", "s");
  registry_.release("other");
  EXPECT_EQ(registry_.transcript("main"), nullptr);
  EXPECT_EQ(registry_.transcript("other"), nullptr);
}

}  // namespace
}  // namespace surtitle
