#include "daemon/channels/channel_registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <utility>

namespace surtitle {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class RecordingViewer : public ChannelViewer {
 public:
  void deliver(const SharedPayload& message) noexcept override { seen.push_back(*message); }
  std::vector<std::string> seen;
};

const std::vector<protocol::Track> kTracks{{"", "en", "m", "p"}, {"fr", "fr", "n", "q"}};

class ChannelRegistryTest : public ::testing::Test {
 protected:
  bool claim(const std::string& name, const std::string& stream) {
    return registry_.claim(name, {{stream, kTracks}, [this] { ++changes_; }});
  }

  void publish(const protocol::ServerMessage& message, const std::string& name = "main") {
    registry_.publish(name, message, share(message));
  }

  static std::string text(const protocol::ServerMessage& message) {
    return protocol::to_json(message);
  }

  TimePoint now_;
  ChannelRegistry registry_{{.sentences = 100, .idle_channels = 2}, [this] { return now_; }};
  int changes_ = 0;  // notices to the sender that its viewers changed
};

const protocol::ServerMessage kState = protocol::State{true, "m", "p", "s", kTracks};
const protocol::ServerMessage kGone = protocol::State{false, {}, {}, {}};
const protocol::ServerMessage kYes = protocol::SourceMessage{0, "Ja", {}};

TEST_F(ChannelRegistryTest, HasOneSenderAtATime) {
  EXPECT_TRUE(claim("main", "s"));
  EXPECT_FALSE(claim("main", "t"));
  EXPECT_TRUE(claim("other", "t"));
  EXPECT_EQ(registry_.sender("main")->stream, "s");
  registry_.release("main");
  EXPECT_FALSE(registry_.sender("main").has_value());
  EXPECT_TRUE(claim("main", "t"));
}

TEST_F(ChannelRegistryTest, KeepsViewersWhenSendersChange) {
  RecordingViewer viewer;
  registry_.watch("main", viewer, {});
  claim("main", "s");
  publish(kYes);
  registry_.release("main");
  claim("main", "s");
  EXPECT_THAT(viewer.seen, ElementsAre(text(kState), text(kYes), text(kGone), text(kState)));
  registry_.leave("main", viewer);
  publish(kYes);
  EXPECT_EQ(viewer.seen.size(), 4U);
}

TEST_F(ChannelRegistryTest, ViewerOfOneTrackReceivesItAndMessagesOfNoTrack) {
  RecordingViewer first;
  RecordingViewer french;
  RecordingViewer all;
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

TEST_F(ChannelRegistryTest, SendsAttentionOnRequest) {
  RecordingViewer reader;
  RecordingViewer researcher;
  RecordingViewer french;
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

TEST_F(ChannelRegistryTest, NotifiesTheSenderOfChangesOfItsViewers) {
  RecordingViewer viewer;
  registry_.watch("main", viewer, {});
  claim("main", "s");
  EXPECT_EQ(registry_.viewers("main"), 1);
  EXPECT_EQ(changes_, 0);
  RecordingViewer other;
  registry_.watch("main", other, {});
  registry_.leave("main", viewer);
  EXPECT_EQ(registry_.viewers("main"), 1);
  EXPECT_EQ(changes_, 2);
}

TEST_F(ChannelRegistryTest, KeepsTheTranscriptUntilTheNextSender) {
  claim("main", "s");
  publish(kYes);
  registry_.release("main");
  EXPECT_EQ(registry_.transcript("main")->sentences().size(), 1U);
  claim("main", "t");
  EXPECT_THAT(registry_.transcript("main")->sentences(), IsEmpty());
}

// Returns the message with this event.
protocol::ServerMessage with_event(protocol::ServerMessage message, std::int64_t event) {
  *protocol::event_of(message) = event;
  return message;
}

TEST_F(ChannelRegistryTest, ReturnsMissedMessagesOfTheSameStream) {
  EXPECT_FALSE(registry_.missed_since("main", {"s", 0}, {}));
  claim("main", "s");
  EXPECT_EQ(registry_.position("main"), (ChannelPosition{"s", 0}));
  for (int event = 1; event < 4; ++event) {
    publish(with_event(kYes, event));
  }
  const auto rest = registry_.missed_since("main", {"s", 2}, {});
  EXPECT_EQ(rest->stream, "s");
  EXPECT_EQ(rest->tracks, kTracks);
  EXPECT_THAT(rest->messages, ElementsAre(with_event(kYes, 3)));
  EXPECT_FALSE(registry_.missed_since("main", {"t", 2}, {}));
  registry_.release("main");
  EXPECT_EQ(registry_.position("main"), (ChannelPosition{"s", 3}));
  const auto over = registry_.missed_since("main", {"s", 2}, {});
  EXPECT_EQ(over->stream, std::nullopt);
  EXPECT_THAT(over->messages, ElementsAre(with_event(kYes, 3)));
}

TEST_F(ChannelRegistryTest, ReturnsTheRestOfOneStreamAndAllOfTheNext) {
  claim("main", "s");
  publish(with_event(kYes, 1));
  publish(with_event(kYes, 2));
  registry_.release("main");
  claim("main", "t");
  const protocol::ServerMessage other = protocol::State{true, "m", "p", "t", kTracks};
  EXPECT_THAT(registry_.missed_since("main", {"s", 1}, {})->messages,
              ElementsAre(with_event(kYes, 2), other));
  publish(with_event(kYes, 1));
  const auto rest = registry_.missed_since("main", {"s", 1}, {});
  EXPECT_EQ(rest->stream, "s");
  EXPECT_THAT(rest->messages, ElementsAre(with_event(kYes, 2), other, with_event(kYes, 1)));
  registry_.release("main");
  EXPECT_THAT(registry_.missed_since("main", {"s", 2}, {})->messages,
              ElementsAre(other, with_event(kYes, 1), kGone));
  claim("main", "u");
  EXPECT_FALSE(registry_.missed_since("main", {"s", 1}, {})) << "two streams ago";
  EXPECT_TRUE(registry_.missed_since("main", {"t", 1}, {}));
}

TEST_F(ChannelRegistryTest, HasNoPositionInAStreamWithoutEvents) {
  claim("main", "s");
  publish(kYes);
  EXPECT_EQ(registry_.position("main"), std::nullopt);
  EXPECT_FALSE(registry_.missed_since("main", {"s", 0}, {}));
}

TEST_F(ChannelRegistryTest, TellsViewersOfAnInterruptionAndItsEnd) {
  RecordingViewer all;
  RecordingViewer french;
  claim("main", "s");
  registry_.watch("main", all, {});
  registry_.watch("main", french, {.track = "fr"});
  registry_.set_interrupted("main", std::nullopt);
  EXPECT_THAT(all.seen, IsEmpty()) << "nothing has changed";
  registry_.set_interrupted("main", now_ + std::chrono::seconds(30));
  now_ += std::chrono::seconds(20);
  EXPECT_EQ(registry_.interrupted("main"), 10);
  EXPECT_TRUE(registry_.list().front().interrupted);
  EXPECT_TRUE(registry_.list().front().live);
  registry_.set_interrupted("main", std::nullopt);
  EXPECT_EQ(registry_.interrupted("main"), std::nullopt);
  EXPECT_FALSE(registry_.list().front().interrupted);
  for (const RecordingViewer* viewer : {&all, &french}) {
    EXPECT_THAT(viewer->seen,
                ElementsAre(text(protocol::Interruption{30}), text(protocol::Interruption{})));
  }
  EXPECT_EQ(registry_.position("main"), (ChannelPosition{"s", 0})) << "it is no event";
}

TEST_F(ChannelRegistryTest, InterruptionEndsWithItsStream) {
  claim("main", "s");
  registry_.set_interrupted("main", now_ + std::chrono::seconds(30));
  now_ += std::chrono::seconds(40);
  EXPECT_EQ(registry_.interrupted("main"), 0);
  registry_.release("main");
  EXPECT_EQ(registry_.interrupted("main"), std::nullopt);
  RecordingViewer viewer;
  registry_.watch("main", viewer, {});
  claim("main", "t");
  EXPECT_THAT(viewer.seen, ElementsAre(text(protocol::State{true, "m", "p", "t", kTracks})));
}

// The sender returns on this replica: its stream is restored, and then attached.
TEST_F(ChannelRegistryTest, InterruptionLastsUntilTheStreamThatContinuesIsAttached) {
  RecordingViewer viewer;
  registry_.claim("main", {{"s", kTracks}, {}, /*remote=*/true, now_ + std::chrono::seconds(5)});
  registry_.watch("main", viewer, {});
  claim("main", "s");
  EXPECT_EQ(registry_.interrupted("main"), 5);
  EXPECT_THAT(viewer.seen, IsEmpty());
  registry_.set_interrupted("main", std::nullopt);
  EXPECT_THAT(viewer.seen, ElementsAre(text(protocol::Interruption{})));
}

// Another replica's log is read from its first line again if the stream moves.
TEST_F(ChannelRegistryTest, StreamThatIsClaimedAgainKeepsItsChangedHeading) {
  RecordingViewer viewer;
  registry_.watch("main", viewer, {});
  const ChannelSender sender{{"s", kTracks, {}, {}, {"Saal 1", "Ada"}}, {}, /*remote=*/true};
  registry_.claim("main", sender);
  publish(protocol::HeadingChange{{"Saal 2", ""}, 1});
  registry_.claim("main", sender);
  publish(protocol::HeadingChange{{"Saal 2", ""}, 1});
  EXPECT_EQ(registry_.transcript("main")->heading(), (protocol::Heading{"Saal 2", ""}));
}

TEST_F(ChannelRegistryTest, HeadingBelongsToItsStream) {
  const protocol::Heading first{"Saal 1", "Ada"};
  RecordingViewer viewer;  // keeps the channel, which has no sentence
  registry_.watch("main", viewer, {});
  registry_.claim("main", {{"s", kTracks, {}, {}, first}, {}, false});
  EXPECT_EQ(registry_.list().front().heading, first);
  const protocol::ServerMessage change = protocol::HeadingChange{{"Saal 2", ""}, 1};
  publish(change);
  EXPECT_EQ(registry_.list().front().heading, (protocol::Heading{"Saal 2", ""}));
  ASSERT_TRUE(registry_.missed_since("main", {"s", 0}, {}));
  EXPECT_EQ(registry_.missed_since("main", {"s", 0}, {})->heading,
            (protocol::Heading{"Saal 2", ""}));
  EXPECT_THAT(registry_.missed_since("main", {"s", 0}, "fr")->messages, ElementsAre(change));
  registry_.release("main");
  EXPECT_EQ(registry_.list().front().heading, (protocol::Heading{"Saal 2", ""})) << "of the past";
  registry_.claim("main", {{"t", kTracks, {}, {}, first}, {}, false});
  const auto rest = registry_.missed_since("main", {"s", 0}, {});
  ASSERT_TRUE(rest);
  EXPECT_EQ(rest->heading, (protocol::Heading{"Saal 2", ""}));
  EXPECT_THAT(rest->messages,
              ElementsAre(change, protocol::State{true, "m", "p", "t", kTracks, first}));
}

// Follows a channel as a client does, across cuts.
class Follower : public ChannelViewer {
 public:
  Follower(ChannelRegistry& registry, std::optional<std::string> track)
      : registry_(registry), wish_{.track = std::move(track)} {
    registry_.watch("main", *this, wish_);
  }
  ~Follower() override { registry_.leave("main", *this); }

  void deliver(const SharedPayload& text) noexcept override {
    const auto parsed = protocol::parse_server_message(*text);
    handle(std::get<protocol::ServerMessage>(parsed));
  }

  void cut() {
    registry_.leave("main", *this);
    away_ = true;
  }
  // Returns false if messages that it missed are not available.
  bool come_back() {
    if (!std::exchange(away_, false)) {
      return true;
    }
    const auto rest = registry_.missed_since("main", position_, wish_.track);
    for (const protocol::ServerMessage& message :
         rest ? rest->messages : std::vector<protocol::ServerMessage>()) {
      handle(message);
    }
    registry_.watch("main", *this, wish_);
    return rest.has_value();
  }

  std::vector<std::string> seen;  // except that a sender has left

 private:
  void handle(const protocol::ServerMessage& message) {
    const auto* state = std::get_if<protocol::State>(&message);
    if (state != nullptr && !state->sender) {
      return;
    }
    position_ = state != nullptr ? ChannelPosition{*state->stream, 0}
                                 : ChannelPosition{position_.stream, protocol::event_of(message)};
    seen.push_back(protocol::to_json(message));
  }

  ChannelRegistry& registry_;
  const ViewFilter wish_;
  ChannelPosition position_;
  bool away_ = false;
};

TEST_F(ChannelRegistryTest, ViewerThatIsCutOffAtRandomLosesAndDoublesNothing) {
  for (unsigned int seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    const auto one_in = [&](unsigned int n) { return random() % n == 0; };
    ChannelRegistry registry({.sentences = 1000});
    const std::optional<std::string> track =
        one_in(2) ? std::nullopt : std::optional<std::string>(one_in(2) ? "" : "fr");
    Follower steady(registry, track);
    Follower other(registry, track);
    registry.claim("main", {{"s-0", kTracks}});
    int streams_away = 0;  // streams that began while `other` was away
    int stream = 0;
    std::int64_t event = 0;
    int sentence = 0;
    for (int step = 0; step < 200; ++step) {
      event += one_in(5) ? 2 : 1;
      const std::string of = one_in(2) ? "" : "fr";
      const std::vector<protocol::ServerMessage> possible{
          protocol::SourceMessage{sentence, "Ja", {}, 0, event},
          protocol::Write{sentence, 0, "Yes", 1, 1, 0, of, {}, event},
          protocol::Sentence{sentence, "Ja", "Yes", {}, {}, of, event},
          protocol::PolicyChange{sentence, "m", "p", false, of, {}, event},
          protocol::Revision{sentence, "Ja", "Nein", event}};
      const protocol::ServerMessage& message = possible[random() % possible.size()];
      sentence += std::holds_alternative<protocol::Sentence>(message) ? 1 : 0;
      registry.publish("main", message, share(message));
      if (one_in(60) && streams_away == 0) {
        registry.release("main");
        registry.claim("main", {{"s-" + std::to_string(++stream), kTracks}});
        ++streams_away;
        event = 0;
        sentence = 0;
      }
      if (one_in(4)) {
        other.cut();
      }
      if (one_in(4)) {
        EXPECT_TRUE(other.come_back());
        streams_away = 0;
      }
    }
    EXPECT_TRUE(other.come_back());
    EXPECT_EQ(other.seen, steady.seen);
  }
}

TEST_F(ChannelRegistryTest, DropsTheChannelThatHasBeenIdleLongest) {
  for (const std::string name : {"a", "b", "c"}) {
    claim(name, "s");
    publish(kYes, name);
    registry_.release(name);
  }
  EXPECT_EQ(registry_.transcript("a"), nullptr);
  EXPECT_NE(registry_.transcript("b"), nullptr);
  RecordingViewer viewer;
  registry_.watch("b", viewer, {});  // a watched channel is kept
  for (const std::string name : {"d", "e"}) {
    claim(name, "s");
    publish(kYes, name);
    registry_.release(name);
  }
  EXPECT_NE(registry_.transcript("b"), nullptr);
  EXPECT_EQ(registry_.transcript("c"), nullptr);
}

TEST_F(ChannelRegistryTest, KeepsNoChannelWithoutMessages) {
  RecordingViewer viewer;
  registry_.watch("main", viewer, {});
  registry_.leave("main", viewer);
  claim("other", "s");
  registry_.release("other");
  EXPECT_EQ(registry_.transcript("main"), nullptr);
  EXPECT_EQ(registry_.transcript("other"), nullptr);
}

}  // namespace
}  // namespace surtitle
