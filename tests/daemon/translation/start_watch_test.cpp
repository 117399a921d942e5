// Sessions of spoken text whose sentences a model ends.

#include "daemon/translation/start_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <functional>
#include <iterator>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "daemon/base/text.h"
#include "model/text/words.h"
#include "tests/daemon/support/scripted_stream.h"

namespace surtitle {
namespace {

using ::testing::ElementsAre;

using Starts = std::function<float(std::span<const int>)>;

// "also" begins a sentence, no other word does.
float begins_with_also(std::span<const int> tokens) {
  static const int also = ScriptedTokenizer().encode_word("also").front();
  return tokens.back() == also ? 0.9F : 0.1F;
}

SessionOptions spoken(Seconds silence = Seconds(0)) {
  SessionOptions options;
  options.source_form = TextForm::kSpoken;
  options.silence = silence;
  return options;
}

ScriptedOptions model(Starts starts) {
  ScriptedOptions options;
  options.source_forms = {TextForm::kWritten, TextForm::kSpoken};
  options.start = std::move(starts);
  return options;
}

class WatchedStream : public ScriptedStream {
 public:
  explicit WatchedStream(Starts starts = begins_with_also, SessionOptions options = spoken())
      : ScriptedStream("gma:delta=1", std::move(options), TrackSetting().sentence_tokens,
                       model(std::move(starts))) {}

  std::vector<std::string> sources() const {
    std::vector<std::string> sources;
    for (const protocol::Sentence& sentence : all<protocol::Sentence>()) {
      sources.push_back(sentence.source);
    }
    return sources;
  }
};

TEST(StartWatch, EndsTheSentenceBeforeAWordThatBeginsOne) {
  WatchedStream stream;
  stream.source("ich komme also gehen wir also");
  stream.receive(protocol::Finish{});
  stream.run();
  EXPECT_THAT(stream.sources(), ElementsAre("ich komme", "also gehen wir", "also"));
  EXPECT_THAT(stream.targets(), ElementsAre("ICH KOMME", "ALSO GEHEN WIR", "ALSO"));
  EXPECT_TRUE(stream.session().complete());
  EXPECT_EQ(stream.open_in_translator(), 0U);
}

TEST(StartWatch, TailWaitsForTheWordsBeforeIt) {
  WatchedStream stream;
  stream.source("ich komme also");
  stream.receive(protocol::Tail{"gehen"});
  stream.receive(protocol::Tail{"gehen wir"});
  EXPECT_TRUE(stream.ahead().empty());
  stream.run();
  ASSERT_EQ(stream.ahead().size(), 2U) << "each tail is answered";
  EXPECT_EQ(stream.ahead().front().key.sentence, 1) << "the one that 'also' has begun";
  EXPECT_EQ(stream.ahead().front().tokens, stream.encode("gehen"));
}

TEST(StartWatch, HoldsBackAWordUntilTheModelHasSeenIt) {
  WatchedStream stream;
  stream.source("ich komme");
  ASSERT_EQ(stream.all<protocol::SourceMessage>().size(), 1U) << "the first word waits for nothing";
  EXPECT_EQ(stream.all<protocol::SourceMessage>()[0].text, "ich");
  EXPECT_TRUE(stream.session().holds_words());
  EXPECT_EQ(stream.session().queued_words(), 2);
  stream.tick();
  EXPECT_EQ(stream.all<protocol::SourceMessage>().back().text, "komme");
  EXPECT_FALSE(stream.session().holds_words());
}

TEST(StartWatch, AWordsTimesAreThoseOfItsArrival) {
  WatchedStream stream;
  stream.receive(protocol::Source{1, "ich", 1.0});
  stream.receive(protocol::Source{2, "komme", 2.0});
  stream.wait(Seconds(3));
  stream.run();
  EXPECT_THAT(stream.all<protocol::SourceMessage>(),
              ElementsAre(protocol::SourceMessage{0, "ich", 1.0, 0},
                          protocol::SourceMessage{0, "komme", 2.0, 0}));
}

TEST(StartWatch, WrittenTextIsNotWatched) {
  WatchedStream stream(begins_with_also, SessionOptions());
  stream.source("ich komme also gehen wir");
  EXPECT_FALSE(stream.session().holds_words());
  stream.receive(protocol::Finish{});
  stream.run();
  EXPECT_THAT(stream.sources(), ElementsAre("ich komme also gehen wir"));
}

TEST(StartWatch, ChangesOfTheFormBeginWithTheNextSentence) {
  WatchedStream stream(begins_with_also, SessionOptions());
  stream.source("also ich");
  stream.session().configure(TextForm::kSpoken);
  stream.source("komme also. ich komme also gehen wir");
  stream.run();
  stream.session().configure(TextForm::kWritten);
  stream.source("heute also ich komme also nicht");
  stream.receive(protocol::Finish{});
  stream.run();
  EXPECT_THAT(stream.sources(), ElementsAre("also ich komme also.", "ich komme",
                                            "also gehen wir heute", "also ich komme also nicht"));
}

TEST(StartWatch, AnEndOnRequestWaitsForTheWordsBeforeIt) {
  WatchedStream stream;
  stream.source("ich komme also gehen");
  stream.receive(protocol::EndSentence{2});
  stream.receive(protocol::Source{3, "wir also", {}});
  stream.receive(protocol::Finish{});
  stream.run();
  EXPECT_THAT(stream.sources(), ElementsAre("ich komme", "also gehen", "wir", "also"));
}

TEST(StartWatch, SilenceBeginsWhenNoWordWaits) {
  WatchedStream stream(begins_with_also, spoken(Seconds(2)));
  stream.source("ich komme");
  EXPECT_EQ(stream.session().deadline(), std::nullopt);
  stream.wait(Seconds(1));
  stream.tick();
  EXPECT_EQ(stream.session().deadline(), stream.now() + std::chrono::seconds(1));
  stream.wait(Seconds(1));
  stream.run();
  EXPECT_THAT(stream.sources(), ElementsAre("ich komme"));
}

TEST(StartWatch, ALikelyPlaceEndsALongSentence) {
  // 0.3 is not enough up to 60 % of 30 words.
  WatchedStream stream(
      [](std::span<const int> tokens) { return tokens.size() % 11 == 0 ? 0.31F : 0; });
  std::string text;
  for (int i = 0; i < 25; ++i) {
    text += "wort ";
  }
  stream.source(text);
  stream.run();
  ASSERT_EQ(stream.sources().size(), 1U);
  EXPECT_EQ(split_words(stream.sources()[0]).size(), 21U);
}

TEST(StartWatch, ARevisionOfAWaitingWordNamesTheOpenSentence) {
  WatchedStream stream;
  stream.receive(protocol::Hypothesis{"ich komme also gehen", false, {}, true, 1});
  stream.receive(protocol::Hypothesis{"ich komme also gehen wir", false, {}, true, 2});
  stream.receive(protocol::Hypothesis{"ich komme also sehen wir nicht", false, {}, true, 3});
  stream.receive(protocol::Hypothesis{"ich komme also sehen wir nicht", true, {}, true, 4});
  stream.run();
  const auto revisions = stream.all<protocol::Revision>();
  ASSERT_FALSE(revisions.empty());
  EXPECT_EQ(revisions[0].committed, "gehen");
  EXPECT_EQ(revisions[0].sentence, 0);
  EXPECT_THAT(stream.sources(), ElementsAre("ich komme", "also gehen wir nicht"));
}

// Words, some of which get no probability: without tokens, too long for a sentence, or punctuation.
std::string random_word(std::mt19937& random) {
  static const std::vector<std::string> words{
      "guten", "also",      "wir", "gehen", "heute", "am",  "see",
      "–",     "xx-silent", "ja.", "und",   "der",   "weg", "das",
      "neue",  "haus",      "3.",  "mai",   "z.",    "B.",  std::string(700, 'x')};
  return words[random() % words.size()];
}

struct Translated {
  std::vector<std::string> sources;
  std::vector<std::string> targets;
};

// Translates a talk. `pace` divides it into messages and steps.
Translated translate(const std::vector<std::string>& talk, const Starts& starts, unsigned pace,
                     SessionOptions options = spoken()) {
  WatchedStream stream(starts, std::move(options));
  std::mt19937 random(pace);
  for (std::size_t i = 0; i < talk.size();) {
    std::string text;
    for (auto words = 1 + random() % (1 + pace % 30); words > 0 && i < talk.size(); --words) {
      text += talk[i++] + " ";
    }
    stream.source(text);
    for (auto steps = random() % (1 + pace % 4); steps > 0; --steps) {
      stream.tick();
    }
  }
  stream.receive(protocol::Finish{});
  stream.run();
  EXPECT_TRUE(stream.session().complete());
  EXPECT_EQ(stream.open_in_translator(), 0U);
  return {stream.sources(), stream.targets()};
}

std::vector<std::string> random_talk(unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::string> talk(random() % 120);
  std::generate(talk.begin(), talk.end(), [&] { return random_word(random); });
  return talk;
}

// Returns the letters and digits of texts, without their spaces.
std::string letters_of(const std::vector<std::string>& texts) {
  std::string letters;
  for (const std::string& text : texts) {
    std::copy_if(text.begin(), text.end(), std::back_inserter(letters),
                 [](unsigned char c) { return std::isalnum(c) != 0; });
  }
  return letters;
}

TEST(StartWatchProperty, EveryWordIsTranslatedOnceWhateverTheModelSays) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    std::vector<std::string> talk = random_talk(seed);
    SessionOptions options = spoken();
    options.sentence_words = seed % 3 == 0 ? 4 : 100;
    const Translated translated = translate(talk, random_starts(seed), seed, options);
    ASSERT_EQ(letters_of(translated.sources), letters_of(talk)) << "seed " << seed;
    std::erase(talk, "xx-silent");  // has no tokens; alone, it is copied
    std::vector<std::string> targets = translated.targets;
    std::erase_if(
        targets, [](const std::string& target) { return target.find("xx-silent") != target.npos; });
    ASSERT_EQ(letters_of(targets), ScriptedTokenizer::capitals(letters_of(talk)))
        << "seed " << seed;
  }
}

TEST(StartWatchProperty, SentencesDependOnTheWordsAlone) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    const std::vector<std::string> talk = random_talk(seed);
    const Translated once = translate(talk, random_starts(seed), 0);
    for (const unsigned pace : {1U, 2U, 7U, 30U, 1000U}) {
      const Translated again = translate(talk, random_starts(seed), pace);
      ASSERT_EQ(again.sources, once.sources) << "seed " << seed;
      ASSERT_EQ(again.targets, once.targets) << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace surtitle
