#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/daemon/support/scripted_stream.h"

namespace surtitle {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

class TwoTracks : public ::testing::Test {
 protected:
  // Returns "track|number|target" of each complete sentence.
  std::vector<std::string> sentences() const {
    std::vector<std::string> list;
    for (const protocol::Sentence& sentence : stream_.all<protocol::Sentence>()) {
      list.push_back(sentence.track + "|" + std::to_string(sentence.sentence) + "|" +
                     sentence.target);
    }
    return list;
  }

  ScriptedStream stream_{{{"", "gma:delta=1"}, {"full", "full-sentence"}}};
};

TEST_F(TwoTracks, TranslateTheSameSentencesIndependently) {
  stream_.receive(protocol::Source{1, "Guten Morgen", {}});
  stream_.run();
  ASSERT_FALSE(stream_.all<protocol::Write>().empty());
  for (const protocol::Write& write : stream_.all<protocol::Write>()) {
    EXPECT_EQ(write.track, "");  // the other track waits for the end
  }
  stream_.receive(protocol::Source{2, "Leute. Ja.", {}});
  stream_.run();
  EXPECT_THAT(sentences(), UnorderedElementsAre("|0|GUTEN MORGEN LEUTE.", "|1|JA.",
                                                "full|0|GUTEN MORGEN LEUTE.", "full|1|JA."));
  EXPECT_EQ(stream_.all<protocol::SourceMessage>().size(), 3U);  // the source is sent once
  EXPECT_EQ(stream_.session().queued_words(), 0);
  stream_.receive(protocol::Finish());
  EXPECT_TRUE(stream_.session().complete());
}

TEST_F(TwoTracks, OfOneModelShareTheEncodedSource) {
  stream_.receive(protocol::Source{1, "Guten Morgen. Ja.", {}});
  stream_.run();
  EXPECT_EQ(stream_.translator().shared_sources(), 2);
}

TEST_F(TwoTracks, AreCompleteOnceTheSlowerOneIs) {
  stream_.receive(protocol::Source{1, "Guten Morgen", {}});
  stream_.run();
  EXPECT_EQ(stream_.session().queued_words(), 2);
  stream_.receive(protocol::Finish());
  EXPECT_FALSE(stream_.session().complete());
  stream_.run();
  EXPECT_TRUE(stream_.session().complete());
}

TEST_F(TwoTracks, ChangeWithTheNextSentence) {
  stream_.receive(protocol::Source{1, "Guten", {}});
  stream_.configure(1, stream_.setting("wait-k:k=1"));
  stream_.receive(protocol::Source{2, "Tag.", {}});
  stream_.receive(protocol::Source{3, "Ja", {}});
  stream_.run();
  const auto changes = stream_.all<protocol::PolicyChange>();
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0], (protocol::PolicyChange{1, "scripted", "wait-k:k=1", false, "full"}));
  std::vector<std::string> written;  // of the changed track, before sentence 1 has ended
  for (const protocol::Write& write : stream_.all<protocol::Write>()) {
    if (write.track == "full" && write.sentence == 1) {
      written.push_back(write.text);
    }
  }
  EXPECT_THAT(written, ElementsAre("JA"));
}

TEST_F(TwoTracks, ChangeTheirPolicyToHoldALag) {
  TrackSetting held = stream_.setting("gma");
  held.policy = nullptr;
  held.lag.emplace(1.0, "wait-k");
  stream_.configure(0, held);
  for (int i = 1; i <= 12; ++i) {
    stream_.receive(protocol::Source{i, "a b c d e f g h i j k l.", {}});
    stream_.run();
  }
  stream_.receive(protocol::Finish());
  stream_.run();
  const auto changes = stream_.all<protocol::PolicyChange>();
  ASSERT_FALSE(changes.empty());
  EXPECT_EQ(changes[0].policy, "auto:lag=1");
  for (std::size_t i = 1; i < changes.size(); ++i) {
    EXPECT_TRUE(changes[i].by_lag);
    EXPECT_EQ(changes[i].track, "");
  }
}

}  // namespace
}  // namespace surtitle
