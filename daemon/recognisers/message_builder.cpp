#include "daemon/recognisers/message_builder.h"

#include <algorithm>
#include <utility>

#include "daemon/base/sliding_words.h"
#include "daemon/base/terminal_text.h"
#include "daemon/base/text.h"
#include "model/text/ascii.h"
#include "model/text/words.h"
#include "model/util/utf8.h"

namespace surtitle {
namespace {

constexpr std::size_t kKept = 2000;   // words before the window, in case that it moves back
constexpr std::size_t kOverlap = 50;  // words that the windows of a long hypothesis have in common

// Returns the maximum bytes of text in a message. A byte of text needs at most six bytes in JSON
// (\u001F), the rest of the message fewer than 100.
std::size_t text_bytes(int message_bytes) {
  return static_cast<std::size_t>(std::max(1, (message_bytes - 100) / 6));
}

}  // namespace

MessageBuilder::MessageBuilder(int message_bytes, int message_words, SpeechRule rule)
    : text_bytes_(text_bytes(message_bytes)),
      text_words_(static_cast<std::size_t>(std::max(1, message_words))),
      rule_(rule),
      filter_(std::move(rule)) {}

void MessageBuilder::source_form(TextForm form) {
  send_words();
  protocol::Configure configure;
  configure.source_form = form;
  messages_.emplace_back(std::move(configure));
}

std::string MessageBuilder::speech(std::string_view text) {
  return speech_of(valid(text), rule_).text;
}

// --- final words ---

void MessageBuilder::text(std::string_view text, Time time) {
  const std::string shown = shown_text(text);
  text = shown;
  if (text.empty()) {
    return;
  }
  std::vector<std::string> words;
  splitter_.feed(text, words);
  add_words(words, word_open_ && is_space(text.front()) ? open_time_ : time, time);
  word_open_ = !is_space(text.back());
  open_time_ = time;
}

void MessageBuilder::end_word() { text(" ", open_time_); }

void MessageBuilder::end_text() {
  end_word();
  decide(/*at_end=*/true);
}

void MessageBuilder::end_sentence() {
  end_text();
  if (std::exchange(has_words_, false)) {
    words_.push_back({});
  }
}

void MessageBuilder::add_words(const std::vector<std::string>& words, Time first, Time rest) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    filter_.add({words[i], i == 0 ? first : rest}, decided_);
  }
  decide(/*at_end=*/false);
}

// Takes over the words that are no marks. `at_end`: no word follows.
void MessageBuilder::decide(bool at_end) {
  filter_.decide(at_end, decided_);
  for (SourceWord& word : std::exchange(decided_, {})) {
    if (has_words_ || !word.text.empty()) {
      has_words_ = !word.text.empty();
      words_.push_back(std::move(word));
    }
  }
}

// Words with the same time share a message up to its limits.
void MessageBuilder::send_words() {
  std::string text;
  std::size_t count = 0;  // words in it
  Time time;
  for (const SourceWord& word : std::exchange(words_, {})) {
    const bool full = count >= text_words_ || text.size() + 1 + word.text.size() > text_bytes_;
    if (!text.empty() && (word.text.empty() || full || word.time != time)) {
      send_source(std::exchange(text, {}), time);
      count = 0;
    }
    if (word.text.empty()) {
      messages_.emplace_back(protocol::EndSentence{});
    } else {
      text += (text.empty() ? "" : " ") + word.text;
      time = word.time;
      ++count;
    }
  }
  if (!text.empty()) {
    send_source(std::move(text), time);
  }
}

void MessageBuilder::send_source(std::string text, Time time) {
  messages_.emplace_back(protocol::Source{0, std::move(text), time});
}

// --- words that may change ---

// Returns the words of a hypothesis, and ends the sentence before it if another speaker begins.
Speech MessageBuilder::begin(Speech speech) {
  if (speech.begins_sentence && !hypothesis_) {
    end_sentence();
  }
  if (const auto form = form_detector_ ? form_detector_->on_text(speech.text) : std::nullopt) {
    source_form(*form);
  }
  return speech;
}

// Ends an utterance that the recogniser has abandoned.
void MessageBuilder::end_abandoned(UtteranceWatch::Next next) {
  if (next == UtteranceWatch::Next::kEnds || next == UtteranceWatch::Next::kBegins) {
    send_last_hypothesis(/*ends_sentence=*/true);
  }
}

void MessageBuilder::hypothesis(std::string_view heard, Time time) {
  Speech speech = speech_of(valid(heard), rule_, /*may_continue=*/true);
  const UtteranceWatch::Next next = watch_.on_hypothesis(speech.text);
  end_abandoned(next);
  if (next == UtteranceWatch::Next::kInterrupts) {
    return;
  }
  const auto [text, begins_sentence, is_open] = begin(std::move(speech));
  open_hypothesis_ = is_open ? std::optional(std::string(heard)) : std::nullopt;
  if (!hypothesis_ && repeated_.is_echo(text)) {
    return;
  }
  std::string window = last_window(text);
  if (window.empty() && !hypothesis_) {
    return;  // no words yet
  }
  hypothesis_ = window;
  hypothesis_time_ = time;
  send_hypothesis(std::move(window), /*final=*/false, time);
}

void MessageBuilder::final_text(std::string_view heard, Time time, bool ends_sentence) {
  Speech speech = speech_of(valid(heard), rule_, /*may_continue=*/false);
  end_abandoned(watch_.on_final(speech.text));
  send_final(std::move(speech), time, ends_sentence);
}

void MessageBuilder::send_final(Speech speech, Time time, bool ends_sentence) {
  const std::string text = begin(std::move(speech)).text;
  if (!hypothesis_ && repeated_.is_same_final(text, time)) {
    if (ends_sentence) {
      end_sentence();
    }
    return;
  }
  repeated_.on_final(text, time);
  std::string window = last_window(text);
  if (!window.empty() || hypothesis_) {
    send_hypothesis(std::move(window), /*final=*/true, time, ends_sentence);
  } else if (ends_sentence) {
    end_sentence();
  }
  reset_hypothesis();
}

void MessageBuilder::finalize(bool ends_sentence) {
  watch_.reset();
  send_last_hypothesis(ends_sentence);
}

void MessageBuilder::send_last_hypothesis(bool ends_sentence) {
  end_text();
  if (open_hypothesis_) {
    const std::string heard = std::exchange(open_hypothesis_, {}).value();
    return send_final(speech_of(valid(heard), rule_, /*may_continue=*/false), hypothesis_time_,
                      ends_sentence);
  }
  if (hypothesis_) {
    send_hypothesis(std::move(*hypothesis_), /*final=*/true, hypothesis_time_, ends_sentence);
  }
  reset_hypothesis();
}

void MessageBuilder::reset_hypothesis() {
  hypothesis_.reset();
  open_hypothesis_.reset();
  text_.clear();
  left_out_ = 0;
  sent_ = 0;
}

void MessageBuilder::send_hypothesis(std::string text, bool final, Time time, bool ends_sentence) {
  end_text();
  send_words();
  has_words_ = !(final && ends_sentence);
  messages_.emplace_back(
      protocol::Hypothesis{std::move(text), final, time, !final || ends_sentence});
}

// Returns the hypothesis, or its last words if it is too long. Words that no message has had and
// that do not fit are sent in earlier windows.
std::string MessageBuilder::last_window(std::string_view text) {
  add_hypothesis_text(text);
  const std::size_t longest = window_words();
  const std::size_t overlap = std::min(kOverlap, longest / 2);
  std::size_t first = left_out_;
  while (text_.size() - first > longest) {
    const std::size_t last_first = text_.size() - longest;
    first = std::max(first, std::min(last_first, sent_ - std::min(sent_, overlap)));
    if (first < last_first) {
      sent_ = first + longest;
      send_hypothesis(join_words(text_, first, sent_), /*final=*/false, {});
    }
  }
  sent_ = std::max(sent_, text_.size());
  return join_words(text_, first, text_.size());
}

// Continues text_ with a hypothesis, and trims words that its window left long ago.
void MessageBuilder::add_hypothesis_text(std::string_view text) {
  const std::string whole = valid(text);
  const std::vector<std::string_view> words = split_words(whole);
  left_out_ = words_left_out(text_, words, left_out_);
  text_.resize(left_out_);
  text_.insert(text_.end(), words.begin(), words.end());
  if (left_out_ > 2 * kKept) {
    const std::size_t count = left_out_ - kKept;
    text_.erase(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(count));
    left_out_ -= count;
    sent_ -= count;
  }
}

// Returns the maximum number of words in a window, whose bytes are limited, too.
std::size_t MessageBuilder::window_words() const {
  std::size_t bytes = 0;
  std::size_t longest = 0;
  for (const std::string& word : text_) {
    bytes += word.size() + 1;
    longest = std::max(longest, word.size() + 1);
  }
  const std::size_t fitting = bytes > text_bytes_ ? text_bytes_ / longest : bytes;
  return std::max<std::size_t>(1, std::min({kMaxHypothesis, text_words_, fitting}));
}

std::string MessageBuilder::valid(std::string_view text) {
  const std::string shown = shown_text(text);
  text = shown;
  std::string whole;
  while (!text.empty()) {
    const int length = first_character_length(text);
    const std::size_t bytes = length > 0 ? static_cast<std::size_t>(length) : 1;
    replaced_ += length > 0 ? 0 : 1;
    whole += length > 0 ? text.substr(0, bytes) : "\uFFFD";
    text.remove_prefix(bytes);
  }
  return whole;
}

std::vector<protocol::ClientMessage> MessageBuilder::drain() {
  send_words();
  return std::exchange(messages_, {});
}

}  // namespace surtitle
