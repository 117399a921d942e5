#include "model/engine/offline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <latch>
#include <map>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "model/text/word_delays.h"
#include "policies/registry.h"
#include "tests/model/support/test_files.h"

namespace surtitle {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Every letter of a word is a token: 'a' is 10, ...; upper case begins a word: 'A' is 110.
class LetterTokenizer : public Tokenizer {
 public:
  LetterTokenizer() {
    for (char letter = 'a'; letter <= 'z'; ++letter) {
      pieces_[10 + letter - 'a'] = std::string(1, letter);
      pieces_[110 + letter - 'a'] = "▁" + std::string(1, letter);
    }
    pieces_[200] = "▁";
    pieces_[201] = "<0xC3>";
  }
  std::vector<int> encode_word(std::string_view word) const override {
    std::vector<int> tokens;
    for (const char letter : word) {
      if (letter == '-') continue;  // a character that normalisation removes
      tokens.push_back((tokens.empty() ? 110 : 10) + letter - 'a');
    }
    return tokens;
  }
  std::string_view piece(int token) const override { return pieces_.at(token); }
  int vocabulary_size() const override { return 202; }

 private:
  std::map<int, std::string> pieces_;
};

// Copies its source, one token a step, reading by the policy; sentences move in turns.
class CopyingTranslator : public Translator {
 public:
  explicit CopyingTranslator(int max_sentences) {
    info_.max_sentences = max_sentences;
    info_.max_source_tokens = 12;
  }
  const ModelInfo& info() const noexcept override { return info_; }
  std::optional<SentenceId> open(PolicyPtr policy) override {
    if (static_cast<int>(sentences_.size()) == info_.max_sentences) return std::nullopt;
    SentenceId id = 0;
    while (sentences_.contains(id)) ++id;
    sentences_[id] = {std::move(policy), {}, false, 0};
    most_open = std::max(most_open, sentences_.size());
    return id;
  }
  void read(SentenceId id, std::span<const int> tokens) override {
    lengths.push_back(tokens.size());
    auto& source = sentences_.at(id).source;
    source.insert(source.end(), tokens.begin(), tokens.end());
  }
  void finish(SentenceId id) override { sentences_.at(id).finished = true; }
  void force(SentenceId /*sentence*/, std::vector<int> /*tokens*/) override {}
  bool waits_for_source(SentenceId id) const override { return !sentences_.at(id).finished; }
  void close(SentenceId id) override {
    sentences_.erase(id);
    if (on_close) on_close();
  }
  bool tick(std::vector<Write>& writes) override {
    if (on_first_tick) std::exchange(on_first_tick, nullptr)();
    if (stalled) return false;
    for (auto& [id, sentence] : sentences_) {
      if (!sentence.finished || sentence.written > sentence.source.size()) continue;
      const int index = static_cast<int>(sentence.written++);
      const int whole = static_cast<int>(sentence.source.size()) + 1;
      const int read = std::min(sentence.policy->visible_source(index, index), whole);
      const bool end = static_cast<std::size_t>(index) == sentence.source.size();
      writes.push_back(
          {id, end ? 0 : sentence.source[static_cast<std::size_t>(index)] + shift, read, end});
    }
    return !sentences_.empty();
  }
  std::size_t open_sentences() const { return sentences_.size(); }

  std::size_t most_open = 0;
  std::vector<std::size_t> lengths;  // of sentences, as they open
  bool stalled = false;
  std::function<void()> on_first_tick;
  std::function<void()> on_close;
  int shift = 0;  // added to every token

 private:
  struct Sentence {
    PolicyPtr policy;
    std::vector<int> source;
    bool finished = false;
    std::size_t written = 0;
  };
  ModelInfo info_;
  std::map<SentenceId, Sentence> sentences_;
};

class Offline : public ::testing::Test {
 protected:
  std::vector<OfflineTranslation> translate(const std::vector<std::string>& sources,
                                            const std::string& policy = "wait-k:k=2") {
    return translate_offline(translators_, tokenizers_, sources, make_policy(policy), progress_);
  }

  Tokenizers tokenizers_{std::make_shared<LetterTokenizer>()};
  CopyingTranslator& add_translator(int max_sentences) {
    auto translator = std::make_unique<CopyingTranslator>(max_sentences);
    auto& added = *translator;
    translators_.push_back(std::move(translator));
    return added;
  }

  // So that no translator ends the work before another one has begun.
  static void wait_at_first_tick(CopyingTranslator& translator, std::latch& all) {
    translator.on_first_tick = [&all] { all.arrive_and_wait(); };
  }

  std::vector<std::unique_ptr<Translator>> translators_;
  CopyingTranslator& translator_ = add_translator(2);
  std::function<void(std::size_t)> progress_;
};

TEST_F(Offline, OpensTheLongestSentencesFirst) {
  translate({"a", "abcd", "ab"});
  EXPECT_THAT(translator_.lengths, ElementsAre(4U, 2U, 1U));
}

TEST_F(Offline, CountsDelaysInTokensAndWords) {
  const OfflineTranslation translation = translate({"ab  cde f"}).at(0);
  EXPECT_EQ(translation.text, "ab cde f");
  EXPECT_THAT(translation.tokens, ElementsAre(110, 11, 112, 13, 14, 115));
  EXPECT_THAT(translation.reads, ElementsAre(2, 3, 4, 5, 6, 7, 7));
  // "ab" is complete with its second token, when 3 tokens (into the second word) had been read.
  EXPECT_THAT(translation.word_delays, ElementsAre(2, 3, 3));
  EXPECT_EQ(translation.source_tokens, 6);
  EXPECT_EQ(translation.source_words, 3);
}

TEST_F(Offline, CapsDelaysInWordsAtTheSource) {
  const OfflineTranslation translation = translate({"a b"}, "full-sentence").at(0);
  EXPECT_THAT(translation.reads, ElementsAre(3, 3, 3));
  EXPECT_THAT(translation.word_delays, ElementsAre(2, 2));
}

TEST_F(Offline, KeepsTheOrderOfSentencesOfDifferentLengths) {
  std::vector<std::string> sources;
  std::vector<std::string> texts;
  for (std::size_t length = 1; length <= 12; ++length) {
    sources.emplace_back(13 - length, static_cast<char>('a' + length));
    sources.emplace_back(length, static_cast<char>('a' + length));
  }
  for (const OfflineTranslation& translation : translate(sources))
    texts.push_back(translation.text);
  EXPECT_EQ(texts, sources);
  EXPECT_EQ(translator_.most_open, 2U);
  EXPECT_EQ(translator_.open_sentences(), 0U);
}

TEST_F(Offline, DividesSentencesAmongTranslators) {
  CopyingTranslator& second = add_translator(1);
  CopyingTranslator& third = add_translator(3);
  std::latch all_have_sentences(3);
  for (auto* translator : {&translator_, &second, &third})
    wait_at_first_tick(*translator, all_have_sentences);
  std::vector<std::string> sources;
  for (std::size_t i = 0; i < 200; ++i)
    sources.emplace_back(i % 12, static_cast<char>('a' + i % 26));
  std::vector<std::size_t> reports;
  progress_ = [&](std::size_t finished) { reports.push_back(finished); };
  const auto translations = translate(sources);
  for (std::size_t i = 0; i < sources.size(); ++i) EXPECT_EQ(translations[i].text, sources[i]);
  std::size_t opened = 0;
  for (const auto* translator : {&translator_, &second, &third}) {
    EXPECT_EQ(translator->open_sentences(), 0U);
    EXPECT_TRUE(std::is_sorted(translator->lengths.rbegin(), translator->lengths.rend()));
    opened += translator->lengths.size();
  }
  EXPECT_EQ(opened, 200U - 17) << "all but the sentences of no letters";
  EXPECT_TRUE(std::is_sorted(reports.begin(), reports.end()));
  EXPECT_EQ(reports.back(), 200U);
}

TEST_F(Offline, LeavesSentencesOfAShortListToEachTranslator) {
  CopyingTranslator& second = add_translator(9);
  CopyingTranslator& third = add_translator(9);
  std::latch all_have_sentences(3);
  for (auto* translator : {&translator_, &second, &third})
    wait_at_first_tick(*translator, all_have_sentences);
  EXPECT_EQ(translate({"a", "b", "c", "d", "e", "", "f"}).size(), 7U);
  for (const auto* translator : {&translator_, &second, &third})
    EXPECT_EQ(translator->most_open, 2U);
}

TEST_F(Offline, OpensNoMoreSentencesAfterAFailure) {
  CopyingTranslator& healthy = add_translator(2);
  std::latch both_have_sentences(2);
  std::latch failed(1);
  translator_.stalled = true;
  wait_at_first_tick(translator_, both_have_sentences);
  translator_.on_close = [&, closed = 0]() mutable {
    if (++closed == 1) failed.count_down();
  };
  healthy.on_first_tick = [&] {
    both_have_sentences.arrive_and_wait();
    failed.wait();
  };
  const std::vector<std::string> sources(100, "abc");
  EXPECT_THAT(error_of([&] { translate(sources); }), HasSubstr("stopped in mid-sentence"));
  EXPECT_EQ(healthy.lengths.size(), 2U);
  EXPECT_EQ(healthy.open_sentences(), 0U);
  EXPECT_EQ(translator_.open_sentences(), 0U);
}

TEST_F(Offline, LeavesNoSentenceOfAnyTranslatorOpenAfterAFailure) {
  CopyingTranslator& second = add_translator(2);
  translator_.stalled = second.stalled = true;
  EXPECT_THAT(error_of([&] {
                translate({"a", "b", "c", "d", "e"});
              }),
              HasSubstr("stopped in mid-sentence"));
  EXPECT_GT(translator_.most_open + second.most_open, 0U);
  EXPECT_EQ(translator_.open_sentences(), 0U);
  EXPECT_EQ(second.open_sentences(), 0U);
}

TEST_F(Offline, GivesEmptyTranslationsForEmptySentences) {
  const auto translations = translate({"", "a", " - "});
  EXPECT_EQ(translations.at(0).text, "");
  EXPECT_EQ(translations.at(1).text, "a");
  EXPECT_THAT(translations.at(2).word_delays, IsEmpty());
  EXPECT_EQ(translations.at(2).source_words, 1);
  EXPECT_THAT(translate({}), IsEmpty());
}

TEST_F(Offline, ReportsProgressUpToTheLast) {
  std::vector<std::size_t> reports;
  progress_ = [&](std::size_t finished) { reports.push_back(finished); };
  translate({"ab", "", "c", "defg"});
  ASSERT_FALSE(reports.empty());
  EXPECT_TRUE(std::is_sorted(reports.begin(), reports.end()));
  EXPECT_EQ(reports.back(), 4U);
}

TEST_F(Offline, NamesTheLineThatCannotBeTranslated) {
  EXPECT_EQ(error_of([&] {
              translate({"a", "abcdefghijklm"});
            }),
            "line 2: the sentence has 13 tokens; the model takes at most 12");
  EXPECT_THAT(error_of([&] { translate({"a\xff"}); }),
              HasSubstr("line 1: the sentence is not UTF-8"));
  EXPECT_EQ(translator_.most_open, 0U);
}

TEST_F(Offline, LeavesNoSentenceOpenAfterAFailure) {
  translator_.stalled = true;
  EXPECT_THAT(error_of([&] { translate({"a", "b", "c"}); }), HasSubstr("stopped in mid-sentence"));
  EXPECT_EQ(translator_.most_open, 2U);
  EXPECT_EQ(translator_.open_sentences(), 0U);
}

TEST_F(Offline, CountsTextThatOnlyTheEndReleases) {
  translator_.shift = 201 - 110;  // the source "a" becomes the first byte of a character
  const OfflineTranslation translation = translate({"a"}).at(0);
  EXPECT_EQ(translation.text, "\uFFFD");
  EXPECT_THAT(translation.word_delays, ElementsAre(1));
}

TEST(SourceWordCounter, CountsAWordAsReadWithItsFirstToken) {
  SourceWordCounter source;
  source.append_word(2);
  source.append_word(3);
  source.append_word(0);
  source.append_word(1);
  EXPECT_EQ(source.tokens(), 6);
  EXPECT_EQ(source.words(), 4);
  std::vector<int> words;
  for (int read = 0; read <= 8; ++read) words.push_back(source.words_in(read));
  EXPECT_THAT(words, ElementsAre(0, 1, 1, 2, 2, 2, 4, 4, 4));
  source.clear();
  EXPECT_EQ(source.words_in(3), 0);
}

TEST(SourceWordCounter, CountsAWordWithoutTokensWithTheTokenBehindIt) {
  SourceWordCounter source;
  source.append_word(2);
  const int before = source.words_in(2);
  source.append_word(0);  // a late word must not change earlier counts
  EXPECT_EQ(source.words_in(2), before);
  EXPECT_EQ(source.words_in(3), 2) << "the next token is the end of the sentence";
}

TEST(TargetWords, CountAWordAsWrittenWithItsLastCharacter) {
  TargetWords target;
  target.write("Gu", 1);
  target.write("ten", 2);
  target.write("", 3);
  target.write(" Tag", 4);
  target.write(",", 5);
  target.write(" zu sam", 6);
  target.write("men", 7);
  EXPECT_THAT(target.delays(), ElementsAre(2, 5, 6, 7));
  target.write(" ", 8);
  target.write("x", 9);
  EXPECT_THAT(target.delays(), ElementsAre(2, 5, 6, 7, 9));
  target.clear();
  target.write("y", 1);
  EXPECT_THAT(target.delays(), ElementsAre(1));
}

}  // namespace
}  // namespace surtitle
