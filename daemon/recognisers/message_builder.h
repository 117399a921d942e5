// Makes protocol messages from a recogniser's final words and hypotheses.
//
// Texts are passed as the recogniser printed them. Marks of sounds, hesitations and labels of
// speakers are left out, unless the rule keeps them. Another speaker begins another sentence. A
// final text that the recogniser repeats is sent once. An utterance that it abandons ends with its
// last hypothesis (utterance_watch.h). Invalid UTF-8 is replaced by U+FFFD, and escape sequences of
// terminals are left out. Words share a message up to its limits.
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
#include "daemon/recognisers/repeated_text.h"
#include "daemon/recognisers/source_form_detector.h"
#include "daemon/recognisers/speech_filter.h"
#include "daemon/recognisers/utterance_watch.h"
#include "daemon/recognisers/word_splitter.h"

namespace surtitle {

class MessageBuilder {
 public:
  // The time of the end of a text, in seconds on the source's own clock.
  using Time = std::optional<double>;
  // Returns the time, in seconds, rounded to whole milliseconds. This removes the error of a sum.
  static double round_to_milliseconds(double seconds) { return std::round(seconds * 1000) / 1000; }

  // Maximum number of words in a hypothesis. Of a longer one, the last words are sent, because
  // messages are limited and recognisers do not change words that far back. Every word is sent at
  // least once.
  static constexpr std::size_t kMaxHypothesis = 400;

  // `message_bytes`, `message_words`: the limits of the server for one message.
  MessageBuilder(int message_bytes, int message_words, SpeechRule rule = {});

  // Sends the form of the words from the next sentence on.
  void source_form(TextForm form);
  // Sends the form that the hypotheses and final texts have.
  void detect_source_form() { form_detector_.emplace(); }
  // Returns a text's words without marks, hesitations and labels.
  std::string speech(std::string_view text);

  // --- final words ---

  // Appends text, which may continue the last word: a word is complete when white space follows it.
  // A blank line ends the sentence.
  void text(std::string_view text, Time time = {});
  // Completes the last word.
  void end_word();
  // Completes the last word and an open mark: "[Applaus" and "♪ la la".
  void end_text();
  // Ends the sentence. Does nothing if it has no words.
  void end_sentence();

  // --- words that may change ---

  // Adds a hypothesis: the recogniser's current guess of the text since the last final text. It may
  // be only the last part of that text (a window).
  void hypothesis(std::string_view heard, Time time = {});
  // Adds the final version of that text. The next hypothesis begins after it. Without
  // `ends_sentence`, the words are final but the sentence continues.
  void final_text(std::string_view heard, Time time = {}, bool ends_sentence = true);
  // Makes the last hypothesis final without a change.
  void finalize(bool ends_sentence = true);
  // Returns the messages to send, in order, and removes them. They have no seq yet
  // (daemon/client/unacked_queue.h).
  std::vector<protocol::ClientMessage> drain();

  // Returns the number of replacements by U+FFFD.
  int replaced() const noexcept { return splitter_.replaced() + replaced_; }

 private:
  void add_words(const std::vector<std::string>& words, Time first, Time rest);
  void decide(bool at_end);
  void send_words();
  void send_source(std::string text, Time time);
  void send_hypothesis(std::string text, bool final, Time time, bool ends_sentence = true);
  void end_abandoned(UtteranceWatch::Next next);
  void send_last_hypothesis(bool ends_sentence);
  void send_final(Speech speech, Time time, bool ends_sentence);
  Speech begin(Speech speech);
  std::string valid(std::string_view text);
  std::string last_window(std::string_view text);
  void add_hypothesis_text(std::string_view text);
  std::size_t window_words() const;
  void reset_hypothesis();

  const std::size_t text_bytes_;  // maximum in one source message
  const std::size_t text_words_;  // maximum in one source message

  const SpeechRule rule_;
  WordSplitter splitter_;
  bool word_open_ = false;
  Time open_time_;  // of the text with the last byte of the open word
  SpeechFilter filter_;
  std::vector<SourceWord> decided_;  // by filter_
  std::vector<SourceWord> words_;    // complete words that are in no message yet

  std::optional<std::string> hypothesis_;  // the last one sent; nullopt after a final text
  Time hypothesis_time_;
  std::optional<std::string> open_hypothesis_;  // the last one as received, if it has an open '['
  std::vector<std::string> text_;  // the text since the last final text; its beginning is trimmed
  std::size_t left_out_ = 0;       // words of text_ before the last hypothesis
  std::size_t sent_ = 0;           // words of text_ that messages had, even if it is shorter now

  UtteranceWatch watch_;
  RepeatedText repeated_;
  std::optional<SourceFormDetector> form_detector_;
  bool has_words_ = false;  // the current sentence has words
  int replaced_ = 0;
  std::vector<protocol::ClientMessage> messages_;
};

}  // namespace surtitle
