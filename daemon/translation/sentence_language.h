// A language's rules for stops that may not end a sentence.
//
// ICU has most of it: CLDR's abbreviations (its suppressions of sentence breaks) and the names of
// months. The small tables of sentence_tables.cpp supplement them for German and English. All other
// languages have ICU's rules alone.
//
// Thread-safety: may be used from any thread.
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>

namespace surtitle {

// The rule for a stop, given the next word. A lower-case word always continues the sentence.
enum class StopRule {
  kContinues,         // the sentence continues, whatever follows: "z.B.", "Dr."
  kEndsAtOpener,      // ends before a word that often begins sentences: "Co. Das", but "Co. KG"
  kEndsAtText,        // ends before a word other than a number: "No. Never.", but "No. 5"
  kEndsAtCapital,     // ends before a word other than a month or a day: "usw. Gestern"
  kEndsAtNewCapital,  // ends before a word that does not always have a capital, as "I" has
  kEnds,              // the sentence ends, whatever follows
};

class SentenceLanguage {
 public:
  // Returns the rules of a language; "de" and "de-AT" have the same ones. They live as long as the
  // process.
  static const SentenceLanguage& of(std::string_view language);

  explicit SentenceLanguage(const std::string& language);

  // Returns the rule of a word that a full stop follows, or kEnds if it is no abbreviation.
  // `first`: the word begins a sentence, so its capital may be due to that.
  StopRule abbreviation(std::string_view word, bool first) const;

  // Whether the capitalised word often begins a sentence and seldom is a name or a noun.
  bool opens_sentence(std::string_view word) const;
  // Whether an ordinal number may follow the word, such as an article.
  bool precedes_ordinal(std::string_view word) const;
  // Whether a number after the word is no ordinal: "um 9."
  bool precedes_time(std::string_view word) const;
  // Whether the word is the name of a month or of a day of the week.
  bool is_date_word(std::string_view word) const;
  // Whether the word has a capital wherever it is, although it is no name: "I".
  bool is_always_capital(std::string_view word) const;
  // Whether all nouns have a capital, so that a capital says little about sentences.
  bool has_capital_nouns() const noexcept { return has_capital_nouns_; }

 private:
  using Words = std::unordered_set<std::string>;

  StopRule listed(const std::string& word) const;

  bool has_capital_nouns_ = false;
  Words suppressions_;  // of CLDR
  Words ordinary_;
  Words continues_;
  Words ends_at_opener_;
  Words ends_at_text_;
  Words ends_at_capital_;
  Words openers_;
  Words before_ordinals_;
  Words before_times_;
  Words always_capital_;
  Words date_words_;
};

}  // namespace surtitle
