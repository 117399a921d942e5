// Sends a transcript whose beginning is final and whose end may still change.
//
// The recogniser moves words from the changing end to the final beginning. The daemon may already
// have committed words of the end, and each word must be in one text only. Therefore, the beginning
// is sent as a final text only when it has at least as many words as the last hypotheses. Until
// then, it is a part of the hypothesis.
//
// Thread-safety: none; one owner.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "daemon/recognisers/message_builder.h"

namespace surtitle {

class GrowingTranscript {
 public:
  struct Part {
    std::string_view text;  // continues the word before it unless it begins with white space
    MessageBuilder::Time time = {};  // of its last word
  };

  // REQUIRES: `builder` outlives this.
  explicit GrowingTranscript(MessageBuilder& builder) : builder_(builder) {}

  // `added`: what the final text grows by. `end`: the words after it, which may change.
  void update(const Part& added, const Part& end);

  // Makes all words final and ends the sentence.
  void end_sentence();

 private:
  std::size_t complete_bytes() const;
  void drop_final(std::size_t bytes);

  MessageBuilder& builder_;
  std::string final_;  // final words that no final text had
  MessageBuilder::Time final_time_;
  std::string end_;  // the words after them
  MessageBuilder::Time end_time_;
  std::string sent_;                      // the last hypothesis since the last final text
  std::size_t max_hypothesis_words_ = 0;  // most words of these hypotheses
};

}  // namespace surtitle
