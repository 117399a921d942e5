// Plain words that may turn out to be the banner of a program, with a recogniser's JSON after them,
// or a line that only one recogniser prints.
#include <algorithm>
#include <utility>

#include "daemon/base/text.h"
#include "daemon/recognisers/foreign_lines.h"
#include "daemon/recognisers/formats.h"
#include "daemon/recognisers/json_in_text.h"
#include "daemon/recognisers/registry.h"
#include "daemon/recognisers/skipped_input.h"
#include "model/text/ascii.h"

namespace surtitle {
namespace {

class WordsWithoutJson : public Recogniser {
 public:
  WordsWithoutJson(const RecogniserSettings& settings, MessageBuilder& builder)
      : settings_(settings),
        builder_(builder),
        skipped_(settings),
        current_(make_text(settings, builder)) {
    skipped_.on_readable();
  }

  void feed(std::string_view bytes) override {
    if (is_text_) {
      add(json_in_text_.feed(bytes));
    } else {
      current_->feed(bytes);
    }
  }

  void pause() override { current_->pause(); }

  void finish() override {
    add(json_in_text_.finish());
    current_->feed(std::exchange(line_, {}));
    current_->finish();
    skipped_.finish();
  }

 private:
  void add(const std::vector<JsonInText::Piece>& pieces) {
    for (const JsonInText::Piece& piece : pieces) {
      if (!is_text_) {
        current_->feed(piece.bytes);
      } else if (!piece.is_json) {
        add_text(piece.bytes);
      } else if (const RecogniserFormat* format = recognise_json(piece.bytes)) {
        line_.clear();  // a prefix
        begin(*format, piece.bytes);
      } else {
        line_.clear();  // a prefix of the JSON
        begins_line_ = false;
        skipped_.skip("JSON", settings_.input + ": JSON of no known format is not translated: " +
                                  in_quotes(piece.bytes));
      }
    }
    if (!is_text_) {
      for (const JsonInText::Piece& rest : json_in_text_.finish()) {
        current_->feed(rest.bytes);
      }
    }
  }

  // Passes text on. The beginning of a line is held while it may be of a known recogniser.
  void add_text(std::string_view bytes) {
    std::string text;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      const char c = bytes[i];
      const bool ends_line = c == '\n' || c == '\r';
      if (ends_line && !may_be_of_cue(line_ + c)) {
        text += std::exchange(line_, {}) + c;
        begins_line_ = true;
        continue;
      }
      if (!begins_line_) {
        text += c;
        continue;
      }
      line_ += c;
      const auto [name, match] = recognise_line(line_);
      if (match == Match::kYes) {
        current_->feed(text);
        begin(*recogniser_format_by_name(name), std::exchange(line_, {}));
        return current_->feed(bytes.substr(i + 1));
      }
      if (match == Match::kNo) {
        text += std::exchange(line_, {});
        begins_line_ = false;
      }
    }
    current_->feed(text);
  }

  // Returns whether the lines may be, or are, the number and the times of a cue of subtitles.
  static bool may_be_of_cue(std::string_view lines) {
    return is_digit(lines[0]) && sniff_subtitles(lines) != Match::kNo;
  }

  static std::pair<std::string_view, Match> recognise_line(std::string_view begin) {
    const Match whisper = sniff_whisper_cpp(begin);
    const Match sphinx = sniff_pocketsphinx_text(begin);
    const Match subtitles = sniff_subtitles(begin);
    const Match sherpa = sniff_sherpa_onnx_text(begin);
    return {whisper == Match::kYes     ? "whisper-cpp"
            : subtitles == Match::kYes ? "subtitles"
            : sherpa == Match::kYes    ? "sherpa-onnx"
                                       : "pocketsphinx",
            std::max({whisper, sphinx, subtitles, sherpa, match_line_prefix(begin)})};
  }

  void begin(const RecogniserFormat& format, const std::string& bytes) {
    current_->feed(std::exchange(line_, {}));
    current_->finish();
    builder_.end_sentence();
    is_text_ = false;
    current_ = open_recognised_format(format, settings_, builder_);
    current_->feed(bytes);
  }

  const RecogniserSettings settings_;
  MessageBuilder& builder_;
  SkippedInput skipped_;  // JSON of no known format
  JsonInText json_in_text_;
  bool is_text_ = true;      // nothing of a known format has arrived
  bool begins_line_ = true;  // the text is within line_
  std::string line_;         // the beginning of a line that is held
  std::unique_ptr<Recogniser> current_;
};

}  // namespace

std::unique_ptr<Recogniser> make_words_without_json(const RecogniserSettings& settings,
                                                    MessageBuilder& builder) {
  return std::make_unique<WordsWithoutJson>(settings, builder);
}

}  // namespace surtitle
