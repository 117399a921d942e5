// Makes messages of the protocol from a recogniser's texts: final words and hypotheses that may
// still change.
//
// Texts are passed as the recogniser printed them; bytes that are not UTF-8 become U+FFFD. Words
// are joined in one message as far as its limits allow.
//
// Thread-safety: none; one owner.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/protocol/protocol.h"
#include "daemon/recognisers/word_splitter.h"

namespace surtitle {

class MessageBuilder {
 public:
  // Times are seconds on the source's own clock, at the end of the text.
  using Time = std::optional<double>;
  // A time that is a sum, without its rounding errors.
  static double to_milliseconds(double seconds) { return std::round(seconds * 1000) / 1000; }

  // In a hypothesis with more words, all but the last ones are final: recognisers do not change
  // words that far back, and a message has its limits.
  static constexpr std::size_t kMaxHypothesis = 400;

  // `message_bytes`, `message_words`: the longest message that the server takes.
  MessageBuilder(int message_bytes, int message_words);

  // --- final words ---

  // Appends text to the last one, maybe in the middle of a word: a word is complete once white
  // space follows it. A blank line ends the sentence.
  void text(std::string_view text, Time time = {});
  // The last word is complete.
  void end_word();
  // The sentence is over. Does nothing if no word came since the last one.
  void end_sentence();

  // --- words that may change ---

  // The whole text since the last final text, as the recogniser has it now.
  void hypothesis(std::string_view text, Time time = {});
  // The same text, final; the next hypothesis begins after it. If the sentence goes on, only the
  // words are final.
  void final_text(std::string_view text, Time time = {}, bool ends_sentence = true);
  // The last hypothesis is final as it stands.
  void finalize(bool ends_sentence = true);
  // Returns the messages to send, in order, and removes them. They have no seq yet
  // (daemon/client/unacked_queue.h).
  std::vector<protocol::ClientMessage> drain();

  // How often bytes were not UTF-8.
  int replaced() const noexcept { return splitter_.replaced() + replaced_; }

 private:
  struct Word {
    std::string text;  // empty: the sentence is over
    Time time;
  };

  void add_words(const std::vector<std::string>& words, Time first, Time rest);
  void send_words();
  void send_source(std::string text, Time time);
  void send_hypothesis(std::string text, bool final, Time time, bool ends_sentence = true);
  std::string valid(std::string_view text);
  std::string tentative_part(std::string_view text);

  const std::size_t text_bytes_;  // of one source message
  const std::size_t text_words_;  // likewise

  WordSplitter splitter_;
  bool word_open_ = false;
  Time open_time_;           // of the text with the last byte of the open word
  std::vector<Word> words_;  // complete, not yet in a message

  std::optional<std::string> hypothesis_;  // the last one; nothing after a final text
  Time hypothesis_time_;
  std::size_t finalized_words_ = 0;  // words at its beginning that are final already

  bool has_words_ = false;  // the sentence has
  int replaced_ = 0;
  std::vector<protocol::ClientMessage> messages_;
};

}  // namespace surtitle
