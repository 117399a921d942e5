// Removes marks of sounds, hesitations and labels of speakers from words that arrive one by one.
//
// model/text/speech_marks.h defines them. Another speaker begins another sentence.
//
// Thread-safety: none; one owner.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/text/speech_marks.h"

namespace surtitle {

struct SourceWord {
  std::string text;  // empty: the sentence ends
  std::optional<double> time = {};
  std::string stop = {};  // if the sentence ends: the stop to add to its last word if it has none
};

class SpeechFilter {
 public:
  explicit SpeechFilter(SpeechRule rule) : rule_(std::move(rule)) {}

  // Holds a word for decide(). An empty word ends the sentence: the held words, then the empty one,
  // are appended to `out`.
  void add(SourceWord word, std::vector<SourceWord>& out);
  // Appends the words that remain to `out`. A word that may begin a mark is held until the words
  // after it decide, or until `at_end`: no word follows.
  void decide(bool at_end, std::vector<SourceWord>& out);
  // Returns whether decide() would hold a '[' and what follows it: a mark or text.
  bool ends_in_bracket() const;

 private:
  void put(const SpeechElement& element, std::optional<double> time, std::vector<SourceWord>& out);
  void put_mark(const SpeechElement& element, std::optional<double> time,
                std::vector<SourceWord>& out);

  const SpeechRule rule_;
  std::vector<std::string> held_;
  std::vector<std::optional<double>> times_;  // of the words in held_
  bool begins_ = true;                        // the next word begins a sentence
};

struct Speech {
  std::string text;
  bool begins_sentence = false;  // another speaker than before
  bool is_open = false;          // words at the end are left out, as they may become a mark
};

// Returns a whole text without marks, hesitations and labels. If another speaker follows a word,
// the word ends in a full stop. If a mark follows it, the word gets the stop behind the mark.
// `may_continue`: the words after a '[' that is open at the end are left out. REQUIRES: valid
// UTF-8.
Speech speech_of(std::string_view text, const SpeechRule& rule, bool may_continue = false);

}  // namespace surtitle
