#include "model/text/tokenizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <thread>

#include "model/text/words.h"
#include "model/util/utf8.h"
#include "tests/model/support/test_files.h"

namespace surtitle {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A tokenizer of given pieces; token ids are indices.
class ListTokenizer : public Tokenizer {
 public:
  explicit ListTokenizer(std::vector<std::string> pieces) : pieces_(std::move(pieces)) {}
  std::vector<int> encode_word(std::string_view) const override { return {}; }
  std::string_view piece(int token) const override {
    return pieces_.at(static_cast<std::size_t>(token));
  }
  int vocabulary_size() const override { return static_cast<int>(pieces_.size()); }

 private:
  std::vector<std::string> pieces_;
};

// Returns the deltas of all `pieces`, and of the end.
std::vector<std::string> deltas_of(std::vector<std::string> pieces) {
  const auto tokenizer = std::make_shared<ListTokenizer>(std::move(pieces));
  Detokenizer detokenizer(tokenizer);
  std::vector<std::string> deltas;
  deltas.reserve(static_cast<std::size_t>(tokenizer->vocabulary_size()) + 1);
  for (int token = 0; token < tokenizer->vocabulary_size(); ++token) {
    deltas.push_back(detokenizer.write(token));
  }
  deltas.push_back(detokenizer.finish());
  return deltas;
}

std::vector<int> encode_words(const Tokenizer& tokenizer, std::string_view text) {
  std::vector<int> tokens;
  for (const std::string_view word : split_words(text)) {
    const std::vector<int> word_tokens = tokenizer.encode_word(word);
    tokens.insert(tokens.end(), word_tokens.begin(), word_tokens.end());
  }
  return tokens;
}

std::string decode(const std::shared_ptr<const Tokenizer>& tokenizer,
                   const std::vector<int>& tokens) {
  Detokenizer detokenizer(tokenizer);
  std::string text;
  for (const int token : tokens) {
    const std::string delta = detokenizer.write(token);
    EXPECT_TRUE(is_valid_utf8(delta)) << "token " << token << " splits a character";
    text += delta;
  }
  return text + detokenizer.finish();
}

// Returns the words of `text`, separated by one space.
std::string single_spaced(std::string_view text) {
  std::string joined;
  for (const std::string_view word : split_words(text)) {
    if (!joined.empty()) joined += ' ';
    joined += word;
  }
  return joined;
}

TEST(SplitWords, SplitsAtEverySpaceAndKeepsPunctuation) {
  EXPECT_THAT(split_words("  Guten Tag,\tWelt!\n"), ElementsAre("Guten", "Tag,", "Welt!"));
  EXPECT_THAT(split_words("z.\u00a0B.\u202fund\u3000so"), ElementsAre("z.", "B.", "und", "so"));
  EXPECT_THAT(split_words(""), IsEmpty());
  EXPECT_THAT(split_words(" \u2003 "), IsEmpty());
}

TEST(SplitWords, TakesBytesThatAreNotUtf8AsPartOfAWord) {
  EXPECT_THAT(split_words("a\xff b\xc2"), ElementsAre("a\xff", "b\xc2"));
}

TEST(Utf8, KnowsTheLimitsOfEveryLength) {
  for (const std::string_view valid : {"a", "\u007f", "\u0080", "\u07ff", "\u0800", "\ud7ff",
                                       "\ue000", "\uffff", "\U00010000", "\U0010ffff"}) {
    EXPECT_EQ(first_character_length(valid), static_cast<int>(valid.size())) << valid;
    for (std::size_t length = 1; length < valid.size(); ++length) {
      EXPECT_EQ(first_character_length(valid.substr(0, length)), 0) << valid;
    }
  }
  for (const std::string_view invalid :
       {"\x80", "\xc0\x80", "\xc1\xbf", "\xe0\x9f\xbf", "\xed\xa0\x80", "\xf0\x8f\xbf\xbf",
        "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff", "\xc3\x28", "\xe2\x82\x28"}) {
    EXPECT_EQ(first_character_length(invalid), -1);
    EXPECT_FALSE(is_valid_utf8(invalid));
  }
  EXPECT_EQ(code_point("\U0001f3ad"), U'\U0001f3ad');
}

TEST(Detokenizer, PutsOneSpaceBetweenWordsAndNoneAtTheEnds) {
  EXPECT_THAT(deltas_of({"▁Gu", "ten", "▁Tag", "▁"}), ElementsAre("Gu", "ten", " Tag", "", ""));
  EXPECT_THAT(deltas_of({"▁", "Tag", "▁", "▁", "▁und"}),
              ElementsAre("", "Tag", "", "", " und", ""));
}

TEST(Detokenizer, GivesNothingForSpecialTokens) {
  EXPECT_THAT(deltas_of({"", "▁a", "", "b"}), ElementsAre("", "a", "", "b", ""));
}

TEST(Detokenizer, HoldsBytesUntilTheCharacterIsComplete) {
  EXPECT_THAT(deltas_of({"▁", "<0xF0>", "<0x9F>", "<0x8E>", "<0xAD>", "▁ja"}),
              ElementsAre("", "", "", "", "🎭", " ja", ""));
}

TEST(Detokenizer, ReplacesBytesThatNeverBecomeACharacter) {
  EXPECT_THAT(deltas_of({"<0xE2>", "<0x82>", "▁x"}), ElementsAre("", "", "\uFFFD x", ""));
  EXPECT_THAT(deltas_of({"▁x", "<0xE2>"}), ElementsAre("x", "", "\uFFFD"));
  EXPECT_THAT(deltas_of({"<0xFF>", "x"}), ElementsAre("\uFFFD", "x", ""));
  EXPECT_THAT(deltas_of({"<0xE2>", "<0xC3>", "<0xBC>"}), ElementsAre("", "\uFFFD", "ü", ""));
}

TEST(Detokenizer, MakesControlCharactersSpaces) {
  EXPECT_THAT(deltas_of({"▁a", "<0x0A>", "<0x00>", "b"}), ElementsAre("a", "", "", " b", ""));
}

TEST(Detokenizer, TakesOnlyWholeByteNamesForBytes) {
  EXPECT_THAT(deltas_of({"<0x4>", "<0xZZ>", "<0x414>"}),
              ElementsAre("<0x4>", "<0xZZ>", "<0x414>", ""));
}

TEST(Detokenizer, BeginsAnotherSentenceAfterFinish) {
  const auto tokenizer = std::make_shared<ListTokenizer>(std::vector<std::string>{"▁a", "<0xE2>"});
  Detokenizer detokenizer(tokenizer);
  detokenizer.write(0);
  detokenizer.write(1);
  detokenizer.finish();
  EXPECT_EQ(detokenizer.write(0), "a");
}

TEST(SentencepieceTokenizer, GivesSpecialTokensTheirFixedIds) {
  const auto tokenizer = test_tokenizer();
  EXPECT_EQ(tokenizer->vocabulary_size(), kTestVocabulary);
  for (const int token : {kBeginOfSentence, kPadding, kEndOfSentence, -1, kTestVocabulary}) {
    EXPECT_EQ(tokenizer->piece(token), "") << token;
  }
  EXPECT_EQ(tokenizer->piece(kUnknown), "▁⁇");
  for (int token = 0; token < kTestVocabulary; ++token)
    EXPECT_FALSE(tokenizer->piece(token).starts_with("<0x")) << "half a character: " << token;
}

TEST(SentencepieceTokenizer, EncodesWordByWordAsItEncodesTheWholeSentence) {
  const auto tokenizer = test_tokenizer();
  std::size_t sentences = 0;
  for (const auto& file : test_texts()) {
    for (const std::string& line : read_lines(file)) {
      // encode_word() passes its text to sentencepiece unchanged, so this encodes the whole
      // sentence at once.
      EXPECT_EQ(encode_words(*tokenizer, line), tokenizer->encode_word(line)) << line;
      ++sentences;
    }
  }
  EXPECT_EQ(sentences, 2 * (1792 + 488));
}

TEST(SentencepieceTokenizer, GivesTheTextBackFromItsDeltas) {
  const auto tokenizer = test_tokenizer();
  for (const auto& file : test_texts()) {
    for (const std::string& line : read_lines(file)) {
      const std::string text = decode(tokenizer, encode_words(*tokenizer, line));
      // Only quotation marks and dashes may look different.
      if (line.find("\xE2\x80") == std::string::npos && line.find("\xC2") == std::string::npos) {
        EXPECT_EQ(text, single_spaced(line));
      }
      EXPECT_EQ(decode(tokenizer, encode_words(*tokenizer, text)), text);
    }
  }
}

TEST(SentencepieceTokenizer, KeepsLettersAndSignsAndMakesThoseOfLikeMeaningEqual) {
  const auto tokenizer = test_tokenizer();
  const std::map<std::string_view, std::string_view> cases = {
      {"„Größe“ »groß« ‚süß‘ “quoted” ‘it’s’", "\"Größe\" \"groß\" 'süß' \"quoted\" 'it's'"},
      {"– — ‑ - … ½ ´ ² € ™", "– – - - ... ½ ' ² € ™"},
      {"ÄÖÜäöüß GROSS", "ÄÖÜäöüß GROSS"},
      {"Łódź São Dvořák Şahin Nguyễn Åse ẞ", "Łódź São Dvořák Şahin Nguyễn Åse ẞ"},
      {"20 € § 12 5 °C a@b.de #x 3×4 → ∞", "20 € § 12 5 °C a@b.de #x 3×4 → ∞"},
      {"Preis:5€/kg (netto)", "Preis:5€/kg (netto)"},
      {"<0xE2> <s> </s> <unk>", "<0xE2> <s> </s> <unk>"}};
  for (const auto& [text, expected] : cases)
    EXPECT_EQ(decode(tokenizer, encode_words(*tokenizer, text)), expected);
}

TEST(SentencepieceTokenizer, LeavesOutCharactersThatTheVocabularyLacks) {
  const auto tokenizer = test_tokenizer();
  EXPECT_EQ(decode(tokenizer, encode_words(*tokenizer, "🎭👩‍👧 ok🎉 你好 न x你y")),
            "ok🎉 x y");
  EXPECT_THAT(tokenizer->encode_word("你好"), IsEmpty());
  EXPECT_EQ(tokenizer->encode_word("ja 你好 nein"), tokenizer->encode_word("ja nein"));
}

TEST(SentencepieceTokenizer, CutsNumbersIntoDigits) {
  const auto tokenizer = test_tokenizer();
  for (const int token : tokenizer->encode_word("1989,25")) {
    const auto text = tokenizer->piece(token);
    EXPECT_LE(std::count_if(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; }),
              1)
        << text;
  }
}

TEST(SentencepieceTokenizer, ComposesLettersAndDropsWhatCannotBeSeen) {
  const auto tokenizer = test_tokenizer();
  const std::map<std::string_view, std::string_view> cases = {
      {"fu\u0308r", "für"},
      {"O\u0308l", "Öl"},
      {"Ent\u00adscheidung", "Entscheidung"},
      {"\ufeffJa\u200b", "Ja"},
      {"\ufb01nden", "finden"}};
  for (const auto& [word, plain] : cases) {
    EXPECT_EQ(tokenizer->encode_word(word), tokenizer->encode_word(plain)) << plain;
  }
  EXPECT_THAT(tokenizer->encode_word("\u00ad"), IsEmpty());
  EXPECT_THAT(tokenizer->encode_word(""), IsEmpty());
}

TEST(SentencepieceTokenizer, NeverMakesInvalidTextOfRandomTokens) {
  const auto tokenizer = test_tokenizer();
  std::mt19937 random(7);
  std::uniform_int_distribution<int> any(0, kTestVocabulary - 1);
  for (int round = 0; round < 2000; ++round) {
    std::vector<int> tokens;
    tokens.reserve(40);
    for (int index = 0; index < 40; ++index) {
      tokens.push_back(any(random));
    }
    const std::string text = decode(tokenizer, tokens);
    EXPECT_EQ(single_spaced(text), text);
  }
}

TEST(SentencepieceTokenizer, EncodesFromManyThreadsAtOnce) {
  const auto tokenizer = test_tokenizer();
  const std::vector<std::string> lines = read_lines(test_texts()[0]);
  std::vector<std::vector<int>> expected;
  expected.reserve(lines.size());
  for (const std::string& line : lines) expected.push_back(encode_words(*tokenizer, line));
  std::vector<std::size_t> equal(4, 0);
  std::vector<std::thread> threads;
  threads.reserve(equal.size());
  for (std::size_t& count : equal) {
    threads.emplace_back([&] {
      for (std::size_t line = 0; line < lines.size(); ++line) {
        if (encode_words(*tokenizer, lines[line]) == expected[line]) ++count;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(equal, ::testing::Each(lines.size()));
}

TEST(SentencepieceTokenizer, EncodesAVeryLongWord) {
  const auto tokenizer = test_tokenizer();
  const std::string word(100'000, 'x');
  EXPECT_EQ(decode(tokenizer, tokenizer->encode_word(word)), word);
}

TEST(LoadTokenizer, NamesAFileThatIsMissingOrNoModel) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "sentencepiece.model";
  EXPECT_THAT(error_of([&] { load_tokenizer(file); }),
              HasSubstr(file.string() + ": cannot be read"));
  write_text(file, "this is no model");
  EXPECT_THAT(error_of([&] { load_tokenizer(file); }),
              HasSubstr(file.string() + ": not a complete"));
  write_text(file, "");
  EXPECT_THAT(error_of([&] { load_tokenizer(file); }),
              HasSubstr(file.string() + ": not a complete"));
}

TEST(LoadTokenizer, RefusesAModelCutShortAnywhere) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "sentencepiece.model";
  const std::string whole = read_text(test_tokenizer_file());
  for (std::size_t length = 0; length < whole.size(); length += 61) {
    write_text(file, whole.substr(0, length));
    EXPECT_THAT(error_of([&] { load_tokenizer(file); }), HasSubstr(file.string())) << length;
  }
}

TEST(LoadTokenizer, RefusesNormaliserTablesThatLeadAstray) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "sentencepiece.model";
  const std::string whole = read_text(test_tokenizer_file());
  // The tables follow the name of the rules: bytes (field 2) of a two-byte length, the trie's
  // length, the trie, the texts.
  const std::string name = "user_defined";
  const std::size_t trie = whole.find(name) + name.size() + 3 + 4;
  std::mt19937 random(5);
  int refused = 0;
  for (int round = 0; round < 600; ++round) {
    std::string model = whole;
    model[trie + random() % 2000] = static_cast<char>(random());
    write_text(file, model);
    try {
      const auto tokenizer = load_tokenizer(file);
      for (const std::string_view word : {"Straße", "u\u0308ber", "\u00adx", "\ufb01nden", "🎭"}) {
        tokenizer->encode_word(word);
      }
    } catch (const std::runtime_error& error) {
      EXPECT_THAT(error.what(),
                  HasSubstr(file.string() + ": the SentencePiece model's normaliser"));
      ++refused;
    }
  }
  EXPECT_GT(refused, 100);
}

TEST(LoadTokenizer, RefusesAModelWithOtherSpecialTokens) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "sentencepiece.model";
  // The first piece of the file is "<s>" with id 0. Its type (field 3) is changed from "control" to
  // "normal".
  std::string model = read_text(test_tokenizer_file());
  const std::size_t type = model.find("\x18\x03");
  ASSERT_LT(type, 20U);
  model[type + 1] = 1;
  write_text(file, model);
  EXPECT_THAT(error_of([&] { load_tokenizer(file); }), HasSubstr("token 0 is a piece of text"));
}

TEST(TrainTokenizer, GivesTheSameModelForTheSameText) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "again.model";
  train_tokenizer(test_lines(), kTestVocabulary, file);
  const std::string model = read_text(file);
  EXPECT_TRUE(model == read_text(test_tokenizer_file()));
  EXPECT_EQ(model.find(folder.path().string()), std::string::npos) << "a path of this machine";
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1)
      << "temporary files were not removed";
}

TEST(TrainTokenizer, SaysWhatIsWrong) {
  const TemporaryFolder folder;
  const auto output = folder.path() / "x.model";
  const auto error = [&](const std::vector<std::string>& lines, int size) {
    return error_of([&] { train_tokenizer(lines, size, output); });
  };
  EXPECT_THAT(error({}, 500), HasSubstr(output.string() + ": there must be at least one line"));
  EXPECT_THAT(error({"ein kleiner Text"}, 5000), HasSubstr("Vocabulary size too high"));
  EXPECT_FALSE(std::filesystem::exists(output));
}

}  // namespace
}  // namespace surtitle
