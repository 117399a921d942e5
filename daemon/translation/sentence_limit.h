// Decides from its length whether a sentence ends before the next word.
//
// Models lose the rest of sentences that are longer than those of their training. Therefore, the
// likelihood that an end requires falls with the length of the sentence. Up to 60 % of the limit,
// the sentence ends only before a word that begins one with a probability above 0.4. Past this soft
// limit, the required likelihood falls, and any likely place suffices. A stretch without
// punctuation ends at the length for which the models were trained, after a comma at 1.5 times that
// length.
//
// Thread-safety: none; one owner.
#pragma once

#include <optional>
#include <string_view>

#include "daemon/base/clock.h"

namespace surtitle {

class SentenceLimit {
 public:
  // The probability of a start above which a sentence of any length ends. Of 0.3 to 0.7, 0.4
  // translates talks best: lower ones divide sentences, higher ones leave several in one.
  static constexpr double kLikelyStart = 0.4;

  // `max_words`: limit of a sentence. At that limit, nothing is decided here, because the session
  // ends such a sentence with a notice. `trained_words`: limit of words without punctuation
  // (PackageDescription).
  SentenceLimit(int max_words, int trained_words);

  // Appends a word to the sentence. REQUIRES: valid UTF-8.
  void append(std::string_view word);

  // Returns whether the sentence ends before the next word. `start`: the probability that the next
  // word begins a sentence, or nullopt if the model has no such classifier. A place after a comma,
  // a colon, a semicolon or a dash is likely in any case.
  bool ends_before_next(std::optional<float> start) const;

  // Returns the silence that ends the sentence. Past the soft limit, a quarter of `usual`.
  Seconds silence(Seconds usual) const;

 private:
  int max_stretch() const;
  // Returns how far the sentence is on its way from the soft limit, at 0, to the limit, at 1.
  double beyond_soft_limit() const;

  int max_words_;
  int trained_words_;
  int words_ = 0;
  int stretch_ = 0;          // words after the last comma, colon, semicolon or dash
  bool punctuated_ = false;  // one of them is in the sentence
};

}  // namespace surtitle
