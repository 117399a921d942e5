// What was heard, as messages of the protocol: words for good and hypotheses that may still change.
//
// Texts come as their recogniser gave them; bytes that are not UTF-8 become U+FFFD. Words are put
// together to messages as far as one takes them.
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

class Heard {
 public:
  // Times are seconds on the source's own clock: the end of what the text stands for.
  using Time = std::optional<double>;
  // A time that is a sum, without its rounding errors.
  static double to_milliseconds(double seconds) { return std::round(seconds * 1000) / 1000; }

  // A hypothesis with more words is final but for its last ones, as no recogniser changes its mind
  // that far back and a message has its limits.
  static constexpr std::size_t kLongestHypothesis = 400;

  // `message_bytes`, `message_words`: the longest message that the server takes.
  Heard(int message_bytes, int message_words);

  // --- words for good ---

  // Text that goes on where the last one ended, in the middle of a word perhaps: a word is complete
  // when the white space after it is there. A blank line ends the sentence.
  void text(std::string_view text, Time time = {});
  // The last word is complete.
  void end_word();
  // The sentence is over; nothing where nothing was heard since the last one.
  void end_sentence();

  // --- words that may change ---

  // All that was heard since the last final text, as it looks now.
  void hypothesis(std::string_view text, Time time = {});
  // The same for good; the next hypothesis starts afresh. Where the sentence goes on, it is the
  // words alone that are final.
  void final_text(std::string_view text, Time time = {}, bool ends_sentence = true);
  // The last hypothesis is final as it stands.
  void settle(bool ends_sentence = true);
  // What is to be sent, in order, without numbers (daemon/client/unacked_queue.h gives them); empty
  // afterwards.
  std::vector<protocol::ClientMessage> take();

  // How often something was not UTF-8.
  int replaced() const noexcept { return splitter_.replaced() + replaced_; }

 private:
  struct Word {
    std::string text;  // empty: the sentence is over
    Time time;
  };

  void take_words(const std::vector<std::string>& words, Time first, Time rest);
  void send_words();
  void send_source(std::string text, Time time);
  void send_hypothesis(std::string text, bool final, Time time, bool ends_sentence = true);
  std::string valid(std::string_view text);
  std::string unsettled_part(std::string_view text);

  const std::size_t text_bytes_;  // of one source message
  const std::size_t text_words_;  // likewise

  WordSplitter splitter_;
  bool word_open_ = false;
  Time open_time_;           // of the text that the open word's last byte was in
  std::vector<Word> words_;  // complete, not yet in a message

  std::optional<std::string> hypothesis_;  // the last one; nothing after a final text
  Time hypothesis_time_;
  std::size_t settled_words_ = 0;  // of its text that were too long ago and are final

  bool said_ = false;  // something, since the sentence began
  int replaced_ = 0;
  std::vector<protocol::ClientMessage> messages_;
};

}  // namespace surtitle
