#include "daemon/session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "policies/registry.h"
#include "tests/daemon/scripted_translator.h"

namespace surtitle {
namespace {

using protocol::ErrorCode;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

// A session of one track and a scripted translator, tied together by hand, on a clock of their own.
class Stream {
 public:
  explicit Stream(const std::string& policy = "gma:delta=1", SessionOptions options = {},
                  bool attention = false)
      : translator_(tokenizer_, {}), options_(std::move(options)) {
    options_.stream = 1;
    options_.tracks.resize(1);
    TrackSetting& setting = options_.tracks.front().setting;
    setting.model_name = "scripted";
    setting.tokenizers = Tokenizers(tokenizer_);
    setting.policy = make_policy(policy);
    setting.attention = attention;
    session_.emplace(options_, now_);
  }

  std::optional<protocol::Error> receive(const protocol::ClientMessage& message) {
    std::optional<protocol::Error> error = session_->receive(message, now_);
    take_output();
    return error;
  }

  void source(const std::string& text) {
    ASSERT_EQ(receive(protocol::Source{++seq_, text, {}}), std::nullopt);
  }

  void wait(Seconds seconds) {
    now_ += to_duration(seconds);
    session_->tick(now_);
    take_output();
  }

  // One step of the translator; false where nothing moves.
  bool step() {
    std::vector<Write> writes;
    translator_.step(writes);
    for (const Write& write : writes) {
      const SentenceKey key = keys_.at(write.sentence);
      const TranslationEvent event{.key = key,
                                   .token = write.token,
                                   .read = write.read,
                                   .end = write.end,
                                   .attention = write.attention};
      EXPECT_EQ(session_->translated(event, now_), std::nullopt);
      if (write.end) {
        translator_.close(write.sentence);
        ids_.erase(key);
      }
      take_output();
    }
    return !writes.empty();
  }

  void run() {
    while (step()) {
    }
  }

  template <class Message>
  std::vector<Message> all() const {
    std::vector<Message> found;
    for (const Outgoing& outgoing : said_) {
      if (const auto* message = std::get_if<Message>(&outgoing.message)) {
        found.push_back(*message);
      }
    }
    return found;
  }

  std::vector<std::string> targets() const {
    std::vector<std::string> targets;
    for (const protocol::Sentence& sentence : all<protocol::Sentence>()) {
      targets.push_back(sentence.target);
    }
    return targets;
  }

  const std::vector<Outgoing>& said() const { return said_; }
  Session& session() { return *session_; }
  std::size_t open_in_translator() const { return ids_.size(); }
  TimePoint now() const { return now_; }

 private:
  void take_output() {
    using Kind = TranslationCommand::Kind;
    SessionOutput output = session_->take_output();
    std::move(output.messages.begin(), output.messages.end(), std::back_inserter(said_));
    for (const TranslationCommand& command : output.commands[0]) {
      if (command.kind == Kind::kOpen) {
        const SentenceId id = translator_.open(command.policy).value();
        ids_[command.key] = id;
        keys_[id] = command.key;
        if (command.attention) {
          translator_.show_attention(id);
        }
      } else if (command.kind == Kind::kRead) {
        translator_.read(ids_.at(command.key), command.tokens);
      } else if (command.kind == Kind::kFinish) {
        translator_.finish(ids_.at(command.key));
      }
    }
  }

  std::shared_ptr<const ScriptedTokenizer> tokenizer_ = std::make_shared<ScriptedTokenizer>();
  ScriptedTranslator translator_;
  SessionOptions options_;
  TimePoint now_ = TimePoint() + std::chrono::hours(1);
  std::optional<Session> session_;
  std::map<SentenceKey, SentenceId> ids_;
  std::map<SentenceId, SentenceKey> keys_;
  std::vector<Outgoing> said_;
  std::int64_t seq_ = 0;
};

// The messages of a type and what they are of: "write 0.1" of sentence 0, token 1.
std::string step_of(const protocol::ServerMessage& message) {
  const auto name = [](const std::string& type, const auto& of) {
    return type + " " + std::to_string(of.sentence) + "." + std::to_string(of.index);
  };
  if (const auto* write = std::get_if<protocol::Write>(&message)) {
    return name("write", *write);
  }
  const auto* attention = std::get_if<protocol::Attention>(&message);
  return attention != nullptr ? name("attention", *attention) : "";
}

// What a viewer can tell of the writes, apart from their time.
using Told = std::tuple<int, int, std::string, int, int>;

std::vector<Told> told(const Stream& stream) {
  std::vector<Told> list;
  for (const protocol::Write& write : stream.all<protocol::Write>()) {
    list.emplace_back(write.sentence, write.index, write.text, write.read, write.words);
  }
  return list;
}

TEST(Session, TranslatesASentence) {
  Stream stream;
  stream.source("Guten Morgen.");
  stream.run();
  EXPECT_THAT(told(stream), ElementsAre(Told{0, 0, "GUTE", 1, 1}, Told{0, 1, "N", 2, 1},
                                        Told{0, 2, " MORG", 3, 2}, Told{0, 3, "EN.", 4, 2}));
  const auto sentences = stream.all<protocol::Sentence>();
  ASSERT_EQ(sentences.size(), 1U);
  EXPECT_EQ(sentences[0].source, "Guten Morgen.");
  EXPECT_EQ(sentences[0].target, "GUTEN MORGEN.");
  EXPECT_EQ(sentences[0].words.al, 1.0);  // delays 1 2 over two words
  EXPECT_EQ(sentences[0].words.ap, 0.75);
  EXPECT_EQ(sentences[0].tokens.al, 1.0);
}

TEST(Session, AcknowledgesEverySourceMessageAfterItsWords) {
  Stream stream;
  stream.source("Guten");
  ASSERT_EQ(stream.said().size(), 2U);
  EXPECT_EQ(stream.said()[0].audience, Audience::kViewers);
  EXPECT_EQ(stream.said()[0].message,
            protocol::ServerMessage(protocol::SourceWords{0, "Guten", 0.0}));
  EXPECT_EQ(stream.said()[1].message, protocol::ServerMessage(protocol::Ack{1}));
}

TEST(Session, ShowsViewersTheWordsOfEachSentenceWithTheirTime) {
  Stream stream;
  stream.receive(protocol::Source{1, "Ja. Nein. Und", 1.5});
  EXPECT_THAT(
      stream.all<protocol::SourceWords>(),
      ElementsAre(protocol::SourceWords{0, "Ja.", 1.5}, protocol::SourceWords{1, "Nein.", 1.5},
                  protocol::SourceWords{2, "Und", 1.5}));
  stream.receive(protocol::Hypothesis{"so weiter", true});
  EXPECT_EQ(stream.all<protocol::SourceWords>().back(),
            (protocol::SourceWords{2, "so weiter", 1.5}));
}

TEST(Session, TellsViewersWhenItTookWords) {
  Stream stream;
  stream.wait(Seconds(0.25));
  stream.source("Ja. Nein");
  stream.wait(Seconds(0.5));
  stream.receive(protocol::Hypothesis{"doch", false});
  stream.receive(protocol::Finish{});
  EXPECT_THAT(stream.all<protocol::SourceWords>(),
              ElementsAre(protocol::SourceWords{0, "Ja.", 0.25, 250},
                          protocol::SourceWords{1, "Nein", 0.25, 250},
                          protocol::SourceWords{1, "doch", 0.75, 750}));
}

TEST(Session, MetricsFollowEachCompletedWord) {
  Stream stream("wait-k:k=2");
  stream.source("Ja nein doch.");
  stream.run();
  const auto metrics = stream.all<protocol::Metrics>();
  ASSERT_EQ(metrics.size(), 3U);
  EXPECT_EQ(metrics[0].sentences, 0);
  EXPECT_EQ(metrics[2].scores.cw, 1.5);  // delays 2 3 3
  Stream next("wait-k:k=2");
  next.source("Ja nein doch. Ja.");
  next.run();
  EXPECT_EQ(next.all<protocol::Metrics>()[3].sentences, 1);
  EXPECT_EQ(next.all<protocol::Metrics>()[3].stream.cw, 1.5);
}

TEST(Session, WritesOfALaterSentenceWaitForTheEarlierOne) {
  Stream stream("full-sentence");
  stream.source("Eins zwei drei vier fünf sechs. Ja.");
  EXPECT_EQ(stream.open_in_translator(), 2U);
  stream.run();
  int last = 0;
  for (const protocol::Write& write : stream.all<protocol::Write>()) {
    EXPECT_GE(write.sentence, last);
    last = write.sentence;
  }
  EXPECT_THAT(stream.targets(), ElementsAre("EINS ZWEI DREI VIER FüNF SECHS.", "JA."));
}

TEST(Session, KeepsFewSentencesInTheTranslator) {
  Stream stream;
  stream.source("A1. B1. C1. D1. E1.");
  EXPECT_EQ(stream.open_in_translator(), 2U);
  EXPECT_EQ(stream.session().queued_words(), 5);
  stream.run();
  EXPECT_EQ(stream.targets().size(), 5U);
  EXPECT_EQ(stream.session().queued_words(), 0);
}

TEST(Session, EndsASentenceAfterSilence) {
  Stream stream;
  stream.source("Guten Tag");
  EXPECT_EQ(stream.session().deadline(), stream.now() + std::chrono::seconds(2));
  stream.wait(Seconds(1.9));
  stream.run();
  EXPECT_TRUE(stream.targets().empty());
  stream.wait(Seconds(0.1));
  stream.run();
  EXPECT_THAT(stream.targets(), ElementsAre("GUTEN TAG"));
  EXPECT_EQ(stream.session().deadline(), std::nullopt);
}

TEST(Session, SilenceCanBeOff) {
  SessionOptions options;
  options.silence = Seconds(0);
  Stream stream("gma", options);
  stream.source("Guten");
  EXPECT_EQ(stream.session().deadline(), std::nullopt);
}

TEST(Session, EndsOnRequestAndAtAFinalHypothesis) {
  Stream stream;
  stream.source("Guten Tag");
  EXPECT_EQ(stream.receive(protocol::EndSentence()), std::nullopt);
  EXPECT_EQ(stream.receive(protocol::EndSentence()), std::nullopt);  // nothing is open
  EXPECT_EQ(stream.receive(protocol::Hypothesis{"meine da", false}), std::nullopt);
  EXPECT_EQ(stream.receive(protocol::Hypothesis{"meine damen", true}), std::nullopt);
  stream.run();
  EXPECT_THAT(stream.targets(), ElementsAre("GUTEN TAG", "MEINE DAMEN"));
}

TEST(Session, FinishTranslatesWhatIsOpenAndCompletes) {
  Stream stream;
  stream.source("Guten Tag");
  EXPECT_EQ(stream.receive(protocol::Finish()), std::nullopt);
  EXPECT_FALSE(stream.session().complete());
  stream.run();
  EXPECT_TRUE(stream.session().complete());
  EXPECT_THAT(stream.targets(), ElementsAre("GUTEN TAG"));
}

TEST(Session, FinishTakesTheLastHypothesisForFinal) {
  Stream stream;
  stream.receive(protocol::Hypothesis{"guten tag", false});
  stream.receive(protocol::Hypothesis{"guten tag meine", false});
  EXPECT_EQ(stream.receive(protocol::Finish()), std::nullopt);
  stream.run();
  EXPECT_THAT(stream.targets(), ElementsAre("GUTEN TAG MEINE"));
}

TEST(Session, GoesOnWithTheSentenceAfterFinalWordsThatDoNotEndIt) {
  Stream stream;
  stream.receive(protocol::Hypothesis{"guten", true, {}, /*end_sentence=*/false});
  stream.receive(protocol::Hypothesis{"guten", false});
  stream.receive(protocol::Hypothesis{"guten tag", true, 2.5});
  stream.run();
  EXPECT_THAT(stream.targets(), ElementsAre("GUTEN GUTEN TAG"));
  EXPECT_EQ(stream.all<protocol::SourceWords>().back(),
            (protocol::SourceWords{0, "guten tag", 2.5}));
}

TEST(Session, TakesAsManyHypothesesAsItsAgreementSays) {
  SessionOptions options;
  options.agreement = 1;
  Stream stream("gma", options);
  stream.receive(protocol::Hypothesis{"guten morgen meine", false});
  EXPECT_EQ(stream.session().source_words(), 2);
}

TEST(Session, TellsBothSidesOfARevisionInItsSentenceAndKeepsTheWords) {
  Stream stream;
  stream.receive(protocol::Hypothesis{"ja. das ist gut", false});
  stream.receive(protocol::Hypothesis{"ja. das ist gut so", false});
  stream.receive(protocol::Hypothesis{"na. dass is gut so", false});
  EXPECT_THAT(stream.all<protocol::Revision>(),
              ElementsAre(protocol::Revision{0, "ja. das ist", "na. dass is"}));
  stream.receive(protocol::Hypothesis{"na. dass is gut so", true});
  EXPECT_EQ(stream.session().revisions(), 3);
  stream.receive(protocol::Hypothesis{"eins zwei drei", false});
  stream.receive(protocol::Hypothesis{"eins zwei drei", false});
  stream.receive(protocol::Hypothesis{"eins zwo drei", true});
  EXPECT_EQ(stream.all<protocol::Revision>().back(), (protocol::Revision{2, "zwei", "zwo"}));
  stream.run();
  EXPECT_THAT(stream.targets(), ElementsAre("JA.", "DAS IST GUT SO", "EINS ZWEI DREI"));
}

TEST(Session, RefusesMoreWordsInAMessageThanItHasRoomFor) {
  SessionOptions options;
  options.message_words = 3;
  Stream stream("gma", options);
  stream.source("ja. ja. ja.");
  const auto source = stream.receive(protocol::Source{2, "a b c d", {}});
  ASSERT_TRUE(source.has_value());
  EXPECT_EQ(source->code, ErrorCode::kMessageTooLarge);
  EXPECT_THAT(source->message, HasSubstr("4 words"));
  const auto hypothesis = stream.receive(protocol::Hypothesis{"a b c d", true});
  ASSERT_TRUE(hypothesis.has_value());
  EXPECT_EQ(hypothesis->code, ErrorCode::kMessageTooLarge);
}

TEST(Session, RefusesWhatIsOutOfOrder) {
  Stream stream;
  EXPECT_EQ(stream.receive(protocol::Start{})->code, ErrorCode::kOutOfOrder);
  stream.source("Eins");
  const auto error = stream.receive(protocol::Source{1, "zwei", {}});
  EXPECT_EQ(error->code, ErrorCode::kBadSequence);
  EXPECT_THAT(error->message, HasSubstr("above 1"));
  stream.receive(protocol::Finish());
  EXPECT_EQ(stream.receive(protocol::Source{9, "drei", {}})->code, ErrorCode::kOutOfOrder);
  EXPECT_EQ(stream.receive(protocol::Finish())->code, ErrorCode::kOutOfOrder);
}

TEST(Session, SplitsASentenceThatIsTooLongAndLosesNothing) {
  SessionOptions options;
  options.sentence_words = 3;
  Stream stream("gma", options);
  stream.source("a1 b2 c3 d4 e5 f6 g7");
  stream.receive(protocol::Finish());
  stream.run();
  EXPECT_THAT(stream.targets(), ElementsAre("A1 B2 C3", "D4 E5 F6", "G7"));
  const auto notices = stream.all<protocol::Error>();
  ASSERT_EQ(notices.size(), 2U);
  EXPECT_EQ(notices[0].code, ErrorCode::kSentenceTooLong);
}

TEST(Session, SplitsWhatHasTooManyTokens) {
  SessionOptions options;
  options.tracks.resize(1);
  options.tracks.front().setting.sentence_tokens = 4;
  Stream stream("gma", options);
  stream.source("langes langes langes");  // two tokens each
  const std::string huge = std::string(200, 'x') + "ü" + std::string(200, 'y');
  stream.source(huge);
  stream.receive(protocol::Finish());
  stream.run();
  std::string source;
  for (const protocol::Sentence& sentence : stream.all<protocol::Sentence>()) {
    source += sentence.source + "|";
  }
  EXPECT_THAT(source, HasSubstr("langes langes|langes"));
  std::string joined;
  std::copy_if(source.begin(), source.end(), std::back_inserter(joined),
               [](char c) { return c != ' ' && c != '|'; });
  EXPECT_EQ(joined, "langeslangeslanges" + huge);
}

TEST(Session, ASentenceWithoutTokensIsEmptyAndNeverOpened) {
  Stream stream;
  stream.source("xx-silent");
  stream.receive(protocol::EndSentence());
  EXPECT_THAT(stream.targets(), ElementsAre(""));
  EXPECT_EQ(stream.open_in_translator(), 0U);
}

TEST(Session, TextHeldBackIsWrittenAtTheEnd) {
  Stream stream;
  stream.source("Ja xx-bytes");
  stream.receive(protocol::Finish());
  stream.run();
  const auto writes = stream.all<protocol::Write>();
  std::string text;
  int index = -1;
  for (const protocol::Write& write : writes) {
    text += write.text;
    EXPECT_GT(write.index, index);
    index = write.index;
  }
  EXPECT_EQ(text, stream.targets().at(0));
  EXPECT_THAT(text, HasSubstr("\uFFFD"));
}

TEST(Session, AFailedTranslationIsTheStreamsError) {
  Stream stream;
  stream.source("Guten Tag");
  const auto error = stream.session().translated({{1, 0}, 0, 0, false, "no memory"}, stream.now());
  EXPECT_EQ(error->code, ErrorCode::kInternal);
  EXPECT_THAT(error->message, HasSubstr("no memory"));
  EXPECT_THAT(stream.session().open_sentences(),
              ElementsAre(Pair(0, ElementsAre(SentenceKey{1, 0, 0}))));
}

TEST(Session, AWriteIsCausedByTheTokenThatMadeItPossible) {
  Stream stream("wait-k:k=2");
  const TimePoint first = stream.now();
  stream.source("Ja");
  stream.wait(Seconds(0.5));
  const TimePoint second = stream.now();
  stream.source("nein");
  stream.wait(Seconds(0.25));
  const TimePoint end = stream.now();
  stream.receive(protocol::EndSentence());
  stream.wait(Seconds(0.125));
  stream.run();
  std::vector<TimePoint> causes;
  for (const Outgoing& outgoing : stream.said()) {
    if (outgoing.cause) {
      causes.push_back(*outgoing.cause);
    }
  }
  EXPECT_THAT(causes, ElementsAre(second, end));  // "JA" saw two tokens, "NEIN" the end
  EXPECT_LT(first, second);
  EXPECT_EQ(stream.all<protocol::Write>()[0].time, 875.0);
}

// --- properties over random text, cut and timed in random ways ---

std::vector<std::string> random_words(std::mt19937& random, int count) {
  static const std::vector<std::string> kWords{
      "ja",        "nein",     "Herr",      "Präsident",       "Europäische", "Union.",
      "3.",        "z.B.",     "Ende!",     "(Beifall.)",      "über",        "—",
      "xx-silent", "xx-bytes", "Wirklich?", "Donaudampfschiff"};
  std::vector<std::string> words;
  words.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    words.push_back(kWords[random() % kWords.size()]);
  }
  return words;
}

SessionOptions small_limits() {
  SessionOptions options;
  options.sentence_words = 6;
  options.tracks.resize(1);
  options.tracks.front().setting.sentence_tokens = 14;
  return options;
}

class SessionProperty : public ::testing::TestWithParam<std::string> {};

TEST_P(SessionProperty, WritesDependOnTheWordsAlone) {
  std::mt19937 random(11);
  for (int round = 0; round < 150; ++round) {
    const std::vector<std::string> words = random_words(random, 40);
    Stream one_by_one(GetParam(), small_limits());
    for (const std::string& word : words) {
      one_by_one.source(word);
      one_by_one.run();
    }
    one_by_one.receive(protocol::Finish());
    one_by_one.run();

    Stream cut(GetParam(), small_limits());
    for (std::size_t at = 0; at < words.size();) {
      std::string text = random() % 2 == 0 ? " \t" : "";
      for (std::size_t i = random() % 12; i > 0 && at < words.size(); --i) {
        text += words[at++] + (random() % 3 == 0 ? "  \n" : " ");
      }
      cut.source(text);
      for (unsigned int steps = random() % 6; steps > 0; --steps) {
        cut.step();
      }
    }
    cut.receive(protocol::Finish());
    cut.run();

    ASSERT_EQ(told(one_by_one), told(cut));
    ASSERT_EQ(one_by_one.targets(), cut.targets());
    EXPECT_TRUE(cut.session().complete());
  }
}

TEST_P(SessionProperty, WhatIsSaidIsInOrderAndAddsUp) {
  std::mt19937 random(12);
  for (int round = 0; round < 150; ++round) {
    Stream stream(GetParam(), small_limits());
    std::string source;
    for (int message = 0; message < 12; ++message) {
      std::string text;
      for (const std::string& word : random_words(random, static_cast<int>(random() % 6))) {
        text += word + " ";
        source += word + " ";
      }
      stream.source(text);
      for (unsigned int steps = random() % 8; steps > 0; --steps) {
        stream.step();
      }
    }
    stream.receive(protocol::Finish());
    stream.run();

    int sentence = 0;
    int index = -1;
    std::string target;
    std::string sources;
    for (const Outgoing& outgoing : stream.said()) {
      if (const auto* write = std::get_if<protocol::Write>(&outgoing.message)) {
        ASSERT_EQ(write->sentence, sentence);
        ASSERT_GT(write->index, index);
        ASSERT_FALSE(write->text.empty());
        ASSERT_TRUE(outgoing.cause.has_value());
        index = write->index;
        target += write->text;
      } else if (const auto* done = std::get_if<protocol::Sentence>(&outgoing.message)) {
        ASSERT_EQ(done->sentence, sentence++);
        ASSERT_EQ(done->target, target);
        ASSERT_FALSE(target.starts_with(' '));
        sources += done->source + " ";
        target.clear();
        index = -1;
      }
    }
    EXPECT_EQ(sources, source);
    EXPECT_EQ(stream.session().queued_words(), 0);
  }
}

INSTANTIATE_TEST_SUITE_P(EveryPolicy, SessionProperty,
                         ::testing::Values("gma:delta=0", "gma:delta=1", "gma:delta=2.5",
                                           "wait-k:k=1", "wait-k:k=5", "full-sentence"));

TEST(SessionAttention, IsToldBehindEachWriteAndAtTheEndInSentenceOrder) {
  Stream stream("gma:delta=1", {}, /*attention=*/true);
  stream.source("Ja. Gut. Nein.");
  stream.run();
  std::vector<std::string> steps;
  for (const Outgoing& outgoing : stream.said()) {
    const std::string step = step_of(outgoing.message);
    if (!step.empty()) {
      steps.push_back(step);
      EXPECT_EQ(outgoing.audience, Audience::kBoth);
    }
  }
  EXPECT_THAT(steps, ElementsAre("write 0.0", "attention 0.0", "attention 0.1",  //
                                 "write 1.0", "attention 1.0", "attention 1.1",  //
                                 "write 2.0", "attention 2.0", "write 2.1", "attention 2.1",
                                 "attention 2.2"));
}

TEST(SessionAttention, TellsEachSourceTokenOnceAndWhatTheLayersLookedAt) {
  Stream stream("gma:delta=1", {}, /*attention=*/true);
  stream.source("Guten Tag");
  stream.run();
  stream.source("Leute.");
  stream.run();
  std::vector<std::string> source;
  for (const protocol::Attention& told : stream.all<protocol::Attention>()) {
    EXPECT_EQ(told.source_from, static_cast<int>(source.size())) << told.index;
    source.insert(source.end(), told.source.begin(), told.source.end());
    const bool end = told.target == "</s>";
    EXPECT_EQ(end, told.index == 5);
    ASSERT_EQ(told.layers.size(), 2U);
    EXPECT_EQ(told.layers[0].positions, std::vector<float>{static_cast<float>(told.index)});
    EXPECT_EQ(told.layers[0].weights.size(), static_cast<std::size_t>(told.read));
    EXPECT_EQ(told.layers[0].weights[static_cast<std::size_t>(told.index)], 1);
    EXPECT_THAT(told.layers[1].positions, ::testing::IsEmpty());
  }
  EXPECT_THAT(source, ElementsAre("\u2581Gute", "n", "\u2581Tag", "\u2581Leut", "e.", "</s>"));
  EXPECT_EQ(stream.all<protocol::Attention>()[2].target, "\u2581TAG");
}

TEST(SessionAttention, IsNotToldWhereNobodyAsks) {
  Stream stream;
  stream.source("Guten Tag.");
  stream.run();
  EXPECT_THAT(stream.all<protocol::Attention>(), ::testing::IsEmpty());
  Stream asked("gma:delta=1", {}, /*attention=*/true);
  asked.source("Guten Tag.");
  asked.run();
  EXPECT_EQ(told(asked), told(stream));
}

// Two tracks of one session on one scripted translator; both belong to model 0.
class TwoTracks : public ::testing::Test {
 protected:
  TwoTracks() : translator_(tokenizer_, {}) {
    SessionOptions options;
    options.stream = 1;
    options.tracks = {{"", setting("gma:delta=1")}, {"full", setting("full-sentence")}};
    session_.emplace(std::move(options), now_);
  }

  TrackSetting setting(const std::string& policy) const {
    return {.model_name = "scripted",
            .tokenizers = Tokenizers(tokenizer_),
            .policy = make_policy(policy)};
  }

  void receive(const protocol::ClientMessage& message) {
    ASSERT_EQ(session_->receive(message, now_), std::nullopt);
    take_output();
  }

  void take_output() {
    using Kind = TranslationCommand::Kind;
    SessionOutput output = session_->take_output();
    for (Outgoing& outgoing : output.messages) {
      said_.push_back(std::move(outgoing.message));
    }
    for (const TranslationCommand& command : output.commands[0]) {
      if (command.kind == Kind::kOpen) {
        ids_[command.key] = translator_.open(command.policy).value();
      } else if (command.kind == Kind::kRead) {
        translator_.read(ids_.at(command.key), command.tokens);
      } else if (command.kind == Kind::kFinish) {
        translator_.finish(ids_.at(command.key));
      }
    }
  }

  void run() {
    std::vector<Write> writes;
    do {
      writes.clear();
      translator_.step(writes);
      for (const Write& write : writes) {
        const auto key = std::find_if(ids_.begin(), ids_.end(), [&](const auto& entry) {
                           return entry.second == write.sentence;
                         })->first;
        session_->translated({key, write.token, write.read, write.end, std::nullopt}, now_);
        if (write.end) {
          translator_.close(write.sentence);
          ids_.erase(key);
        }
        take_output();
      }
    } while (!writes.empty());
  }

  // "track|number|target" of each complete sentence.
  std::vector<std::string> sentences() const {
    std::vector<std::string> list;
    for (const protocol::ServerMessage& message : said_) {
      if (const auto* sentence = std::get_if<protocol::Sentence>(&message)) {
        list.push_back(sentence->track + "|" + std::to_string(sentence->sentence) + "|" +
                       sentence->target);
      }
    }
    return list;
  }

  template <class Message>
  std::vector<Message> all() const {
    std::vector<Message> found;
    for (const protocol::ServerMessage& message : said_) {
      if (const auto* one = std::get_if<Message>(&message)) {
        found.push_back(*one);
      }
    }
    return found;
  }

  std::shared_ptr<const ScriptedTokenizer> tokenizer_ = std::make_shared<ScriptedTokenizer>();
  ScriptedTranslator translator_;
  TimePoint now_ = TimePoint() + std::chrono::hours(1);
  std::optional<Session> session_;
  std::map<SentenceKey, SentenceId> ids_;
  std::vector<protocol::ServerMessage> said_;
};

TEST_F(TwoTracks, TranslateTheSameSentencesEachInItsOwnTime) {
  receive(protocol::Source{1, "Guten Morgen", {}});
  run();
  ASSERT_FALSE(all<protocol::Write>().empty());
  for (const protocol::Write& write : all<protocol::Write>()) {
    EXPECT_EQ(write.track, "");  // the other waits for the end
  }
  receive(protocol::Source{2, "Leute. Ja.", {}});
  run();
  EXPECT_THAT(sentences(),
              testing::UnorderedElementsAre("|0|GUTEN MORGEN LEUTE.", "|1|JA.",
                                            "full|0|GUTEN MORGEN LEUTE.", "full|1|JA."));
  EXPECT_EQ(all<protocol::SourceWords>().size(), 3U);  // the source is said once
  EXPECT_EQ(session_->queued_words(), 0);
  receive(protocol::Finish());
  EXPECT_TRUE(session_->complete());
}

TEST_F(TwoTracks, AreCompleteWhenTheSlowerOneIs) {
  receive(protocol::Source{1, "Guten Morgen", {}});
  run();
  EXPECT_EQ(session_->queued_words(), 2);
  receive(protocol::Finish());
  EXPECT_FALSE(session_->complete());
  run();
  EXPECT_TRUE(session_->complete());
}

TEST_F(TwoTracks, AreConfiguredFromTheNextSentenceOn) {
  receive(protocol::Source{1, "Guten", {}});
  session_->configure(1, setting("wait-k:k=1"));
  take_output();
  receive(protocol::Source{2, "Tag.", {}});
  receive(protocol::Source{3, "Ja", {}});
  run();
  const auto changes = all<protocol::PolicyChange>();
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0], (protocol::PolicyChange{1, "scripted", "wait-k:k=1", false, "full"}));
  std::vector<std::string> written;  // of the changed track, before sentence 1 has ended
  for (const protocol::Write& write : all<protocol::Write>()) {
    if (write.track == "full" && write.sentence == 1) {
      written.push_back(write.text);
    }
  }
  EXPECT_THAT(written, ElementsAre("JA"));
}

TEST_F(TwoTracks, MoveTheirPolicyToHoldALag) {
  TrackSetting held = setting("gma");
  held.policy = nullptr;
  held.lag.emplace(1.0, "wait-k");
  session_->configure(0, held);
  take_output();
  for (int i = 1; i <= 12; ++i) {
    receive(protocol::Source{i, "a b c d e f g h i j k l.", {}});
    run();
  }
  receive(protocol::Finish());
  run();
  const auto changes = all<protocol::PolicyChange>();
  ASSERT_FALSE(changes.empty());
  EXPECT_EQ(changes[0].policy, "auto:lag=1");
  for (std::size_t i = 1; i < changes.size(); ++i) {
    EXPECT_TRUE(changes[i].by_lag);
    EXPECT_EQ(changes[i].track, "");
  }
}

TEST(Session, TellsWhenTheWordsWereSaidThatAWriteIsMadeFrom) {
  Stream stream("gma:delta=0");
  stream.receive(protocol::Source{1, "Ja", 12.5});
  stream.receive(protocol::Source{2, "nein", 14.0});
  stream.receive(protocol::Source{3, "gut.", {}});  // no time: as before
  stream.run();
  std::vector<std::optional<double>> times;
  for (const protocol::Write& write : stream.all<protocol::Write>()) {
    times.push_back(write.source_time);
  }
  EXPECT_THAT(times, ElementsAre(12.5, 14.0, 14.0));
  std::vector<std::optional<double>> shown;
  for (const protocol::SourceWords& words : stream.all<protocol::SourceWords>()) {
    shown.push_back(words.time);
  }
  EXPECT_THAT(shown, ElementsAre(12.5, 14.0, 14.0));
}

TEST(Session, CountsTimeFromReadyWhereTheSourceHasNoClock) {
  Stream stream("gma:delta=0");
  stream.wait(Seconds(1.5));
  stream.source("Ja.");
  stream.run();
  EXPECT_EQ(stream.all<protocol::Write>().front().source_time, 1.5);
}

TEST(Session, ShowsTheModelSpokenTextAndViewersWhatCame) {
  SessionOptions options;
  options.source_form = TextForm::kSpoken;
  Stream stream("full-sentence", options);
  stream.source("„Guten – Tag!“");
  stream.run();
  EXPECT_THAT(stream.targets(), ElementsAre("GUTEN TAG"));
  EXPECT_EQ(stream.all<protocol::SourceWords>().front().text, "„Guten – Tag!“");
  EXPECT_EQ(stream.all<protocol::Sentence>().front().source, "„Guten – Tag!“");
}

}  // namespace
}  // namespace surtitle
