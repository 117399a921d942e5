// Finds the ends of sentences in written text, word by word.
//
// Most stops are decided at once. A doubtful one, such as after an abbreviation, an ordinal number
// or a closing quote, waits for the next word, which decides it. No decision needs more than that
// word. If no word follows, the session ends the sentence by silence.
//
// Thread-safety: none; one owner.
#pragma once

#include <string>
#include <string_view>

#include "daemon/translation/sentence_language.h"
#include "daemon/translation/word_signs.h"

namespace surtitle {

class SentenceSplitter {
 public:
  // `language`: of the text, such as "de".
  explicit SentenceSplitter(std::string_view language)
      : language_(&SentenceLanguage::of(language)) {}

  // Returns whether the sentence ends before `word`, the next one. REQUIRES: valid UTF-8.
  bool ends_before(std::string_view word) const;

  // Appends the next word. Returns whether the sentence certainly ends after it. If it does, the
  // next call must be begin_sentence(). REQUIRES: valid UTF-8.
  bool append(std::string_view word);

  // The next word begins a sentence.
  void begin_sentence() { *this = SentenceSplitter(*language_); }

 private:
  explicit SentenceSplitter(const SentenceLanguage& language) : language_(&language) {}

  StopRule rule_of(const WordSigns& signs) const;
  StopRule rule_of_full_stop(std::string_view word) const;
  StopRule rule_of_number(std::string_view digits) const;
  StopRule rule_of_letter(std::string_view core) const;
  bool follows_noun() const;

  const SentenceLanguage* language_;
  StopRule rule_ = StopRule::kContinues;  // of the last word's stop
  std::string previous_;                  // the last word's core; empty at first
  std::string letters_;  // one-letter abbreviations just before the next word: "i.d" of "i. d. R."
};

// Returns whether a sentence certainly ends with the last word of a text, so that no other word is
// needed to decide it. REQUIRES: valid UTF-8. Thread-safety: may be called from any thread.
bool ends_sentence(std::string_view text, std::string_view language);

}  // namespace surtitle
