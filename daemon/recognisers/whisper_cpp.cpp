// Terminal output of whisper.cpp's examples/stream. Both modes print [BLANK_AUDIO], [Music] and
// similar tags for audio without speech.
//
// Step mode (default) prints a refresh: ESC[2K, a carriage return, 100 spaces, both again, and the
// current version of the line without a newline. A newline means that the line is full, not that
// the sentence ends. A refresh ends at the next one, or after a pause of the output.
//
// VAD mode (--step 0) prints a block at each pause in the speech:
//   ### Transcription 3 START | t0 = 5000 ms | t1 = 15000 ms
//   (blank line)
//   [00:00:00.000 --> 00:00:02.000]  text [SPEAKER_TURN]
//   (blank line)
//   ### Transcription 3 END
// t0 and t1 count from the start, the times in brackets from t0. Blocks may overlap: the words with
// which a block repeats the end of the last one are left out.
#include <charconv>
#include <vector>

#include "daemon/base/text.h"
#include "daemon/recognisers/foreign_lines.h"
#include "daemon/recognisers/formats.h"
#include "daemon/recognisers/skipped_input.h"
#include "daemon/recognisers/word_overlap.h"
#include "model/text/ascii.h"
#include "model/text/words.h"

namespace surtitle {
namespace {

constexpr std::size_t kMaxLine = std::size_t{1} << 20U;
constexpr std::string_view kSpeakerTurn = "[SPEAKER_TURN]";

// Removes `text` and a number from the front of `rest`. Returns nullopt if they are not there; then
// `text` may have been removed.
std::optional<double> consume_number(std::string_view& rest, std::string_view text) {
  double number = 0;
  if (!rest.starts_with(text)) {
    return std::nullopt;
  }
  rest.remove_prefix(text.size());
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
  if (error != std::errc()) {
    return std::nullopt;
  }
  rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
  return number;
}

// Removes "[00:00:02.000" or " --> 00:00:02.000" and returns the time in seconds.
std::optional<double> consume_clock(std::string_view& rest, std::string_view before) {
  const auto hours = consume_number(rest, before);
  const auto minutes = hours ? consume_number(rest, ":") : std::nullopt;
  const auto seconds = minutes ? consume_number(rest, ":") : std::nullopt;
  return seconds ? std::optional(*hours * 3600 + *minutes * 60 + *seconds) : std::nullopt;
}

std::optional<double> field(std::string_view line, std::string_view name) {
  const std::size_t at = line.find(name);
  std::string_view rest = line.substr(std::min(at, line.size()));
  return consume_number(rest, name);
}

class WhisperCpp : public Recogniser {
 public:
  WhisperCpp(const RecogniserSettings& settings, MessageBuilder& builder)
      : input_(settings.input), builder_(builder), skipped_(settings) {}

  void feed(std::string_view bytes) override {
    for (const char c : bytes) {
      on_character(c);
    }
  }

  void pause() override { show_refresh(); }

  void finish() override {
    if (is_segment(line_)) {  // otherwise the line becomes the last hypothesis
      on_line(line_);
    } else {
      show_refresh();
    }
    line_.clear();
    end_block();
    builder_.end_word();
    builder_.finalize();
    skipped_.finish();
  }

 private:
  struct Segment {
    std::vector<std::string> words;
    double time = 0;
    bool speaker_turn = false;
  };

  void on_character(char c) {
    if (c == '\r') {
      show_refresh();
      line_.clear();
    } else if (c == '\n') {
      on_line(line_);
      line_.clear();
      ++number_;
    } else if (line_.size() < kMaxLine) {
      line_ += c;
    }
  }

  // Passes the line on as a hypothesis if it belongs to step mode.
  void show_refresh() {
    const bool is_of_block =
        line_.starts_with('#') || (line_.starts_with('[') && line_.size() > 1 && line_[1] <= '9');
    if (is_of_block || is_blank(line_) || line_ == shown_ || is_prompt(line_) ||
        messages_.is_message(line_)) {
      return;
    }
    builder_.hypothesis(without_kept(line_));
    shown_ = line_;
  }

  void on_line(std::string_view line) {
    shown_.clear();
    const bool is_message = messages_.is_message(line);
    messages_.end_line(line, is_message);
    if (line.starts_with("### Transcription ")) {
      in_blocks_ = true;
      skipped_.on_readable();
      end_block();
      block_begin_ = field(line, "t0 = ").value_or(0) / 1000;
      block_end_ = field(line, "t1 = ").value_or(block_end_ * 1000) / 1000;
    } else if (is_segment(line)) {
      on_segment(line);
    } else if (is_blank(line)) {
      builder_.finalize(/*ends_sentence=*/false);  // the last refresh was empty
    } else if (is_message || (in_blocks_ && !is_prompt(line))) {
      skipped_.skip(SkippedInput::kMessage, input_ + ":" + std::to_string(number_) + ": the line " +
                                                in_quotes(line) + " is not a line of whisper.cpp");
    } else if (!is_prompt(line)) {
      const std::string text = without_kept(line);
      builder_.final_text(text, {}, /*ends_sentence=*/false);
      last_words_ = words_of(builder_.speech(line));
      skipped_.on_readable();
    }
  }

  // A new line begins with the last 200 ms of the audio of the line before (--keep), so it may
  // repeat a word.
  std::string without_kept(std::string_view line) {
    std::vector<std::string> words = words_of(builder_.speech(line));
    if (last_words_.empty() || words.empty()) {
      return join_words(words);
    }
    const bool repeated = repeated_words({last_words_.back()}, {words.front()}) > 0;
    return join_words(words, repeated ? 1 : 0, words.size());
  }

  static std::vector<std::string> words_of(std::string_view text) {
    const std::vector<std::string_view> words = split_words(text);
    return {words.begin(), words.end()};
  }

  static bool is_segment(std::string_view line) {
    return consume_clock(line, "[") && consume_clock(line, " --> ") && line.starts_with("]");
  }

  void on_segment(std::string_view line) {
    consume_clock(line, "[");
    const double end = consume_clock(line, " --> ").value_or(0);
    line.remove_prefix(1);
    Segment segment;
    segment.words = words_of(builder_.speech(line));
    segment.time = MessageBuilder::round_to_milliseconds(block_begin_ + end);
    segment.speaker_turn = line.ends_with(kSpeakerTurn);
    block_.push_back(std::move(segment));
  }

  void end_block() {
    if (block_.empty()) {
      return;
    }
    std::vector<std::string> words;
    for (const Segment& segment : block_) {
      words.insert(words.end(), segment.words.begin(), segment.words.end());
    }
    std::size_t repeated = block_begin_ < last_end_ ? repeated_words(last_words_, words) : 0;
    for (const Segment& segment : block_) {
      for (const std::string& word : segment.words) {
        if (repeated > 0) {
          --repeated;
        } else {
          builder_.text(word, segment.time);
          builder_.end_word();
        }
      }
      if (segment.speaker_turn) {
        builder_.end_sentence();
      }
    }
    builder_.end_sentence();
    block_.clear();
    last_words_ = std::move(words);
    last_end_ = block_end_;
  }

  const std::string input_;
  MessageBuilder& builder_;
  MessageLines messages_;
  SkippedInput skipped_;
  std::string line_;   // since the last newline or carriage return
  std::string shown_;  // the last hypothesis of line_
  int number_ = 1;

  std::vector<std::string> last_words_;  // of the block or the full line before

  // VAD mode
  bool in_blocks_ = false;
  std::vector<Segment> block_;
  double block_begin_ = 0;  // seconds
  double block_end_ = 0;
  double last_end_ = 0;
};

bool is_beginning_of(std::string_view begin, std::string_view whole) {
  return whole.substr(0, begin.size()) == begin;
}

}  // namespace

std::unique_ptr<Recogniser> make_whisper_cpp(const RecogniserSettings& settings,
                                             MessageBuilder& builder) {
  return std::make_unique<WhisperCpp>(settings, builder);
}

Match sniff_whisper_cpp(std::string_view begin) {
  for (const std::string_view sign : {"[Start speaking]", "### Transcription "}) {
    if (begin.starts_with(sign)) {
      return Match::kYes;
    }
    if (is_beginning_of(begin, sign)) {
      return Match::kUndecided;
    }
  }
  return Match::kNo;
}

}  // namespace surtitle
