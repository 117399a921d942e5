// Hypotheses of any length, from the recogniser to the committed words.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "daemon/base/text.h"
#include "daemon/recognisers/message_builder.h"
#include "daemon/translation/hypothesis_commit.h"

namespace surtitle {
namespace {

using Words = std::vector<std::string>;

constexpr int kMessageBytes = 65536;
constexpr int kMessageWords = 2000;

// The words that a daemon commits for the messages of a builder.
class Daemon {
 public:
  explicit Daemon(int agreement) : commit_(agreement) {}

  void receive(const std::vector<protocol::ClientMessage>& messages) {
    for (const protocol::ClientMessage& message : messages) {
      const auto& hypothesis = std::get<protocol::Hypothesis>(message);
      for (std::string& word : commit_.update(hypothesis.text, hypothesis.final).words) {
        committed_.push_back(std::move(word));
      }
    }
  }
  const Words& committed() const { return committed_; }
  int revisions() const { return commit_.revisions(); }

 private:
  HypothesisCommit commit_;
  Words committed_;
};

// A talk, and the part of it that the recogniser's hypothesis has.
class Recogniser {
 public:
  Recogniser(std::size_t words, unsigned int vocabulary, unsigned int seed) : random_(seed) {
    for (std::size_t i = 0; i < words; ++i) {
      talk_.push_back("w" + std::to_string(random_() % vocabulary));
    }
  }

  bool ended() const { return end_ == talk_.size(); }
  const Words& talk() const { return talk_; }
  void grow(std::size_t most) { end_ = std::min(talk_.size(), end_ + 1 + random_() % most); }
  void shrink(std::size_t most) { end_ -= std::min(end_ - begin_, random_() % most); }
  // Keeps 20 words at least.
  void slide(std::size_t most) {
    const std::size_t room = end_ - begin_ > 20 ? end_ - begin_ - 20 : 0;
    begin_ += std::min<std::size_t>(room, random_() % most);
  }
  std::string hypothesis() const { return join_words(talk_, begin_, end_); }

 private:
  std::mt19937 random_;
  Words talk_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

struct Change {
  std::size_t grow = 1;  // words, at most
  std::size_t shrink = 1;
  std::size_t slide = 1;
};

class LongHypotheses : public ::testing::TestWithParam<int> {
 protected:
  void commits_each_word_once(const Change& change, unsigned int vocabulary) {
    for (unsigned int seed = 0; seed < 2; ++seed) {
      MessageBuilder builder(kMessageBytes, kMessageWords);
      Daemon daemon(GetParam());
      Recogniser recogniser(1000 * (seed + 1), vocabulary, seed);
      for (std::mt19937 random(seed); !recogniser.ended();) {
        if (random() % 4 == 0) {
          recogniser.shrink(change.shrink);
        } else if (random() % 3 == 0) {
          recogniser.slide(change.slide);
        }
        recogniser.grow(change.grow);
        builder.hypothesis(recogniser.hypothesis());
        daemon.receive(builder.drain());
      }
      builder.final_text(recogniser.hypothesis());
      daemon.receive(builder.drain());
      ASSERT_EQ(join_words(daemon.committed()), join_words(recogniser.talk())) << "seed " << seed;
      ASSERT_EQ(daemon.revisions(), 0) << "seed " << seed;
    }
  }
};

TEST_P(LongHypotheses, GrowingOnesCommitEachWordOnce) {
  commits_each_word_once({.grow = 40}, 50);
  commits_each_word_once({.grow = 900}, 1000);
}

TEST_P(LongHypotheses, ShrinkingOnesCommitEachWordOnce) {
  commits_each_word_once({.grow = 100, .shrink = 150}, 1000);
  commits_each_word_once({.grow = 200, .shrink = 1000}, 1000);
}

TEST_P(LongHypotheses, SlidingOnesCommitEachWordOnce) {
  commits_each_word_once({.grow = 20, .slide = 60}, 50);
  commits_each_word_once({.grow = 300, .shrink = 10, .slide = 1000}, 1000);
}

// A window of the last words, which moves by a step. Its last position is final.
Words heard_in_windows(const Words& talk, std::size_t window, std::size_t step, int agreement) {
  MessageBuilder builder(kMessageBytes, kMessageWords);
  Daemon daemon(agreement);
  for (std::size_t end = step; end < talk.size(); end += step) {
    builder.hypothesis(join_words(talk, end - std::min(end, window), end));
    daemon.receive(builder.drain());
  }
  builder.final_text(join_words(talk, talk.size() - window, talk.size()));
  daemon.receive(builder.drain());
  EXPECT_EQ(daemon.revisions(), 0) << window << " words, in steps of " << step;
  return daemon.committed();
}

TEST_P(LongHypotheses, WindowsOfAnyOverlapCommitEachWordOnce) {
  const std::vector<std::pair<std::size_t, std::size_t>> windows{
      {8, 1},   {10, 4}, {12, 6}, {15, 8},  {20, 14}, {30, 25},
      {20, 10}, {60, 3}, {12, 2}, {15, 12}, {30, 27}, {40, 36}};
  for (const auto& [window, step] : windows) {
    for (unsigned int seed = 0; seed < 20; ++seed) {
      const Words talk = Recogniser(120, 50, seed).talk();
      ASSERT_EQ(join_words(heard_in_windows(talk, window, step, GetParam())), join_words(talk))
          << window << " words, in steps of " << step << ", seed " << seed;
    }
  }
}

TEST_P(LongHypotheses, WindowsWithoutAnOverlapCommitEachWordOnce) {
  for (const std::size_t window : {10, 15, 30}) {
    const Words talk = Recogniser(120, 1000, 1).talk();
    ASSERT_EQ(join_words(heard_in_windows(talk, window, window, GetParam())), join_words(talk))
        << window << " words";
  }
}

TEST_P(LongHypotheses, FinalTextOfTheLastWordsOfAWindowLosesNone) {
  for (unsigned int seed = 0; seed < 20; ++seed) {
    const Words talk = Recogniser(100, 50, seed).talk();
    MessageBuilder builder(kMessageBytes, kMessageWords);
    Daemon daemon(GetParam());
    for (std::size_t end = 30; end < talk.size(); end += 3) {
      builder.hypothesis(join_words(talk, end - 30, end));
    }
    builder.final_text(join_words(talk, 95, 100));
    daemon.receive(builder.drain());
    ASSERT_EQ(join_words(daemon.committed()), join_words(talk)) << "seed " << seed;
    ASSERT_EQ(daemon.revisions(), 0) << "seed " << seed;
  }
}

TEST(LongHypothesis, CorrectedFromItsBeginningIsNoOtherWindow) {
  const std::string spoken = "guten morgen meine damen und herren ich freue mich sehr";
  const std::string written = "Guten Morgen, meine Damen und Herren! Ich freue mich sehr.";
  MessageBuilder builder(kMessageBytes, kMessageWords);
  Daemon daemon(2);
  builder.hypothesis(spoken);
  builder.final_text(written);
  daemon.receive(builder.drain());
  EXPECT_EQ(join_words(daemon.committed()), written);
}

INSTANTIATE_TEST_SUITE_P(AnyAgreement, LongHypotheses, ::testing::Values(1, 2, 3));

TEST(LongHypothesis, FinalTextWithoutHypothesesIsCommittedWhole) {
  MessageBuilder builder(kMessageBytes, kMessageWords);
  Daemon daemon(2);
  const Recogniser recogniser(1999, 1000, 1);
  builder.final_text(join_words(recogniser.talk()));
  daemon.receive(builder.drain());
  EXPECT_EQ(join_words(daemon.committed()), join_words(recogniser.talk()));
}

TEST(LongHypothesis, ChangeNearItsEndIsReported) {
  MessageBuilder builder(kMessageBytes, kMessageWords);
  Daemon daemon(1);
  Words words = Recogniser(450, 1000, 1).talk();
  for (std::size_t end = 1; end <= words.size(); ++end) {
    builder.hypothesis(join_words(words, 0, end));
  }
  words[440] = "changed";
  builder.hypothesis(join_words(words));
  daemon.receive(builder.drain());
  EXPECT_EQ(daemon.revisions(), 1);
  EXPECT_EQ(daemon.committed().size(), 449U);
}

// --- utterances that are abandoned ---

// Returns the words that the daemon commits for these hypotheses and the final text after them.
std::string committed(const std::vector<std::string>& hypotheses, const std::string& last,
                      int agreement = 2) {
  MessageBuilder builder(kMessageBytes, kMessageWords);
  Daemon daemon(agreement);
  for (const std::string& hypothesis : hypotheses) {
    builder.hypothesis(hypothesis);
  }
  last.empty() ? builder.finalize() : builder.final_text(last);
  daemon.receive(builder.drain());
  EXPECT_EQ(daemon.revisions(), 0);
  return join_words(daemon.committed());
}

TEST(AbandonedUtterance, EndsAsItStandsAndTheNextOneIsWhole) {
  const std::string first = "guten morgen meine damen und herren";
  for (int agreement = 1; agreement <= 3; ++agreement) {
    for (const std::vector<std::string>& between :
         {std::vector<std::string>{}, {""}, {"", ""}, {"", "", "", ""}}) {
      std::vector<std::string> heard{"guten morgen meine damen", first, first};
      heard.insert(heard.end(), between.begin(), between.end());
      for (const char* next : {"ich begrüße", "ich begrüße sie"}) {
        heard.emplace_back(next);
      }
      EXPECT_EQ(committed(heard, "ich begrüße sie hier", agreement),
                first + " ich begrüße sie hier");
      EXPECT_EQ(committed(heard, "", agreement), first + " ich begrüße sie");
    }
  }
}

TEST(AbandonedUtterance, EndsAtTheEndOfInputAndBeforeAFinalText) {
  EXPECT_EQ(committed({"guten morgen alle", ""}, ""), "guten morgen alle");
  EXPECT_EQ(committed({"guten morgen alle", ""}, "ich begrüße sie"),
            "guten morgen alle ich begrüße sie");
}

TEST(AbandonedUtterance, MayHaveTheFirstWordOfTheNextOne) {
  const std::string first = "ich begrüße sie hier und dort";
  for (const char* between : {"", "ich"}) {
    EXPECT_EQ(committed({first, first, between, "ich", "ich gehe", "ich gehe heim"},
                        "ich gehe heim jetzt"),
              first + " ich gehe heim jetzt");
  }
}

TEST(AbandonedUtterance, IsNoneIfTheTextReturns) {
  EXPECT_EQ(committed({"guten morgen meine", "guten morgen meine damen", "", "guten morgen meine"},
                      "guten morgen meine damen und herren"),
            "guten morgen meine damen und herren");
}

TEST(AbandonedUtterance, IsNoneIfItsFirstWordsAreCorrected) {
  EXPECT_EQ(committed({"ne", "", "gut"}, "gut so"), "gut so");
  EXPECT_EQ(committed({"the dog is", "a dog is here"}, "a dog is here now"), "a dog is here now");
  EXPECT_EQ(committed({"vier fünf sechs sieben"}, "4 5 6 7"), "4 5 6 7");
}

}  // namespace
}  // namespace surtitle
