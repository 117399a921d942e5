// Plain words, as typed by a person or printed by any program.
//
// A program may draw a line several times, each time after a carriage return. From the first such
// line on, a line is a hypothesis until its end. It is another line if it begins otherwise. A file
// of subtitles is read as one. Messages of libraries between the lines are skipped.
#include "daemon/base/text.h"

#include <algorithm>
#include <utility>

#include "daemon/base/terminal_text.h"
#include "daemon/recognisers/foreign_line_filter.h"
#include "daemon/recognisers/formats.h"
#include "daemon/recognisers/registry.h"
#include "daemon/recognisers/skipped_input.h"
#include "daemon/recognisers/word_overlap.h"
#include "model/text/ascii.h"
#include "model/text/words.h"

namespace surtitle {
namespace {

class Text : public Recogniser {
 public:
  Text(const RecogniserSettings& settings, MessageBuilder& builder)
      : settings_(settings), builder_(builder), skipped_(settings) {
    skipped_.on_readable();
  }

  void feed(std::string_view bytes) override {
    if (subtitles_) {
      subtitles_->feed(bytes);
      return;
    }
    if (begun_) {
      filter(bytes);
      return;
    }
    beginning_ += bytes;
    const std::size_t first = beginning_.find_first_not_of(" \t\r\n");
    if (first == std::string::npos) {
      return;
    }
    const Match match = sniff_subtitles(std::string_view(beginning_).substr(first));
    if (match == Match::kYes) {
      settings_.on_hint(settings_.input + " was recognised as subtitles");
      subtitles_ = make_subtitles(settings_, builder_);
      subtitles_->feed(std::exchange(beginning_, {}));
    } else if (match == Match::kNo) {
      begin();
    }
  }

  void pause() override {
    if (returned_ && !filter_.held().empty()) {
      returned_ = false;
      redraw();
    }
    if (is_redrawn_ && !is_blank(line_ + std::string(filter_.held()))) {
      show();
    }
  }

  void finish() override {
    if (subtitles_) {
      subtitles_->finish();
      return;
    }
    begin();
    std::string rest;
    filter_.finish(rest);
    read(rest);
    if (!is_redrawn_) {
      builder_.text(line_);
    } else if (!is_blank(line_)) {
      end_line();
    }
    builder_.end_word();
    builder_.finalize();
    skipped_.finish();
  }

 private:
  void begin() {
    begun_ = true;
    filter(std::exchange(beginning_, {}));
  }

  void filter(std::string_view bytes) {
    std::string text;
    for (const char c : bytes) {
      text.clear();
      filter_.filter(c, text);
      read(text);
    }
  }

  void skip(const std::string& line, int number) {
    skipped_.skip(SkippedInput::kMessage, settings_.input + ":" + std::to_string(number) +
                                              ": the line " + in_quotes(line) +
                                              " is a message of a library");
  }

  void read(std::string_view bytes) {
    for (const char c : bytes) {
      if (std::exchange(returned_, c == '\r') && c != '\n' && c != '\r') {
        redraw();
      }
      if (c == '\b') {
        erase();
      } else if (c != '\r') {
        is_redrawn_ ? read_redrawn(c) : read_word(c);
      }
    }
  }

  // line_ has the incomplete word; those before it are sent.
  void read_word(char c) {
    line_ += c;
    if (is_space(c) || line_.size() > WordSplitter::kMaxWord) {
      sent_ = c == '\n' ? std::string() : sent_ + line_;
      builder_.text(std::exchange(line_, {}));
    }
  }

  // A backspace. If it erases a word that was sent, the line is drawn again.
  void erase() {
    if (!is_redrawn_ && line_.empty() && !sent_.empty()) {
      is_redrawn_ = true;
      drawn_ = line_ = sent_;
    }
    remove_last_character(line_);
  }

  void read_redrawn(char c) {
    if (c == '\n') {
      end_line();
    } else {
      line_ += c;
    }
  }

  // The line is drawn again from its beginning.
  void redraw() {
    if (!std::exchange(is_redrawn_, true)) {
      drawn_ = sent_ + line_;
    } else if (!is_blank(line_)) {
      show();
    }
    line_.clear();
  }

  void show() {
    const std::string line = line_ + std::string(filter_.held());
    if (!drawn_.empty() && split_words(line).size() < 2) {
      return;  // of this line or of another one
    }
    begin_line(line);
    builder_.hypothesis(unsent(line));
    drawn_ = line;
  }

  // Ends the line that was drawn before, unless this is the same one.
  void begin_line(const std::string& line) {
    if (!drawn_.empty() && !begins_alike(drawn_, line)) {
      builder_.final_text(unsent(drawn_), {}, /*ends_sentence=*/false);
      sent_.clear();
    }
  }

  void end_line() {
    if (!is_blank(line_)) {
      begin_line(line_);
      builder_.final_text(unsent(line_), {}, /*ends_sentence=*/false);
    } else {
      builder_.finalize(/*ends_sentence=*/false);
      builder_.end_sentence();
    }
    line_.clear();
    sent_.clear();
    drawn_.clear();
  }

  // Returns the line without the words that were sent before it was drawn again.
  std::string unsent(const std::string& line) const {
    const std::vector<std::string_view> words = split_words(line);
    return join_words(words, std::min(split_words(sent_).size(), words.size()), words.size());
  }

  const RecogniserSettings settings_;
  MessageBuilder& builder_;
  SkippedInput skipped_;
  ForeignLineFilter filter_{[this](const std::string& line, int number) { skip(line, number); }};
  std::string beginning_;  // while it may be of a file of subtitles
  bool begun_ = false;
  std::unique_ptr<Recogniser> subtitles_;
  std::string line_;
  std::string sent_;       // the words of this line that were sent before it was drawn again
  std::string drawn_;      // this line as it was drawn last
  bool returned_ = false;  // the last character was a carriage return
  bool is_redrawn_ = false;
};

}  // namespace

std::unique_ptr<Recogniser> make_text(const RecogniserSettings& settings, MessageBuilder& builder) {
  return std::make_unique<Text>(settings, builder);
}

}  // namespace surtitle
