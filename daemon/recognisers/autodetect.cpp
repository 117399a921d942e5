// Recognises the format by the first line or JSON object. Until then all bytes are kept; the chosen
// parser receives them from the first byte on. A line of columns is recognised by its columns, a
// JSON object when it is complete, or by a later object if it fits several formats or none. Lines
// that recognisers' programs and libraries print before their output are passed over. Bytes that
// fit no format are plain words, unless they are JSON.
#include <stdexcept>

#include "daemon/base/text.h"
#include "daemon/recognisers/foreign_lines.h"
#include "daemon/recognisers/json_in_text.h"
#include "daemon/recognisers/json_values.h"
#include "daemon/recognisers/registry.h"
#include "daemon/recognisers/skipped_input.h"
#include "model/text/ascii.h"

namespace surtitle {
namespace {

constexpr std::size_t kMaxUndecided = std::size_t{1} << 20U;

bool is_padding(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

class AutodetectRecogniser : public Recogniser {
 public:
  AutodetectRecogniser(const RecogniserSettings& settings, MessageBuilder& builder)
      : settings_(settings),
        builder_(builder),
        values_(settings.input, [this](const std::string& kind, const std::string& what) {
          if (kind != SkippedInput::kMessage) {
            on_unknown(what);
          }
        }) {}

  void feed(std::string_view bytes) override {
    if (chosen_) {
      chosen_->feed(bytes);
      return;
    }
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      kept_ += bytes[i];
      if (const RecogniserFormat* format = decide()) {
        choose(*format);
        const std::string kept = std::exchange(kept_, {});
        chosen_->feed(kept + std::string(bytes.substr(i + 1)));
        return;
      }
    }
  }

  void pause() override {
    if (chosen_) {
      chosen_->pause();
    }
  }

  void finish() override {
    if (!chosen_ && in_objects_) {
      values_.finish();
      if (!problem_.empty()) {
        throw std::runtime_error(problem_);
      }
    }
    if (!chosen_ && !is_blank()) {
      choose(*recogniser_format_by_name(in_objects_ ? "jsonl" : "text"));
      chosen_->feed(std::exchange(kept_, {}));
    }
    if (chosen_) {
      chosen_->finish();
    } else {
      report_skipped();
    }
  }

 private:
  // The input has only messages of libraries.
  void report_skipped() const {
    SkippedInput skipped(settings_);
    for (int i = 0; i < skipped_; ++i) {
      skipped.skip(SkippedInput::kMessage, settings_.input + ": the line " +
                                               in_quotes(first_skipped_) +
                                               " is a message of a library");
    }
    skipped.finish();
  }

  bool is_blank() const { return begin_ == kept_.size(); }

  // Returns the format of the bytes kept so far, or nullptr if it is undecided.
  const RecogniserFormat* decide() {
    if (in_objects_) {
      return decide_by_object(kept_.size() - 1);
    }
    if (begin_ + 1 == kept_.size() && is_padding(kept_[begin_])) {
      ++begin_;
    }
    if (is_blank()) {
      return nullptr;
    }
    if (kept_.size() > kMaxUndecided) {
      return recogniser_format_by_name("text");
    }
    const Match json = begins_json();
    if (json == Match::kYes) {
      in_objects_ = true;
      return decide_by_object(0);
    }
    return json == Match::kUndecided ? nullptr : decide_by_line();
  }

  // Compares the line with an object, an array of objects, or an object in a JSON string.
  Match begins_json() const {
    constexpr std::string_view kQuoted = "\"{\\\"";
    const std::string_view line = std::string_view(kept_).substr(begin_);
    if (kQuoted.starts_with(line) || line.starts_with(kQuoted)) {
      return line.size() < kQuoted.size() ? Match::kUndecided : Match::kYes;
    }
    std::size_t at = begin_;
    for (const char sign : kept_[begin_] == '[' ? std::string_view("[{") : std::string_view("{")) {
      if (at == kept_.npos || kept_[at] != sign) {
        return at == kept_.npos ? Match::kUndecided : match_prefix();
      }
      at = kept_.find_first_not_of(" \t\r\n", at + 1);
    }
    if (at == kept_.npos) {
      return Match::kUndecided;
    }
    return kept_[at] == '"' || kept_[at] == '}' ? Match::kYes : Match::kNo;
  }

  // Compares the line with a prefix and the beginning of an object.
  Match match_prefix() const {
    const std::string_view line = std::string_view(kept_).substr(begin_);
    const std::size_t open = line.find_last_not_of(" \t\r\n", line.size() - 2);
    const bool begins = line.back() == '"' || line.back() == '}' || line.back() == '\n';
    if (!begins || line.size() < 3 || open == line.npos || open == 0 || line[open] != '{' ||
        !ends_prefix(line[open - 1])) {
      return Match::kNo;
    }
    return Match::kYes;
  }

  const RecogniserFormat* decide_by_line() {
    const std::string_view line = std::string_view(kept_).substr(begin_);
    const bool is_whole = line.back() == '\n';
    if (is_whole && skip_foreign_line(line)) {
      return nullptr;
    }
    const bool is_numbered = is_announced_ ? is_digit(line.front()) : may_be_first_of_vad();
    if (is_numbered && is_sherpa_onnx_line(line.substr(0, line.find_first_of("\r\n")))) {
      return recogniser_format_by_name("sherpa-onnx");
    }
    bool undecided =
        !is_whole && (may_become_foreign(line) || messages_.match(indented_line()) != Match::kNo ||
                      may_become_object(line) || is_numbered);
    for (const RecogniserFormat& format : recogniser_formats()) {
      const Match match = format.sniff_text == nullptr ? Match::kNo : format.sniff_text(line);
      if (match == Match::kYes) {
        return &format;
      }
      undecided = undecided || match == Match::kUndecided;
    }
    return undecided ? nullptr : recogniser_format_by_name("text");
  }

  // Returns whether the line may be the first one of sherpa-onnx' programs with VAD.
  bool may_be_first_of_vad() const {
    constexpr std::string_view kFirst = " 0: ";
    const std::string_view line = indented_line();
    return line.starts_with(kFirst) || kFirst.starts_with(line);
  }

  // Returns whether an object may follow in the line.
  static bool may_become_object(std::string_view line) {
    const std::string_view before = line.substr(0, line.find('{'));
    return match_line_prefix(before) != Match::kNo &&
           trimmed(line.substr(before.size())).size() <= 1;
  }

  // Returns whether the line, which is whole, is foreign and was passed over.
  bool skip_foreign_line(std::string_view line) {
    std::string_view indented = indented_line();
    indented = indented.substr(0, indented.find_first_of("\r\n"));
    const bool is_message = messages_.is_message(indented);
    if (!is_message && !is_prompt(line)) {
      return false;
    }
    if (is_message && skipped_++ == 0) {
      first_skipped_ = indented;
    }
    messages_.end_line(indented, is_message);
    is_announced_ = is_announced_ || is_sherpa_onnx_banner(line);
    begin_ = kept_.size();
    return true;
  }

  // Returns the line with the white space before it.
  std::string_view indented_line() const {
    const std::size_t end = std::string_view(kept_).substr(0, begin_).find_last_of("\r\n");
    return std::string_view(kept_).substr(end == std::string_view::npos ? 0 : end + 1);
  }

  // Parses the kept bytes from `first` on.
  const RecogniserFormat* decide_by_object(std::size_t first) {
    const std::string copy = kept_.substr(first);
    std::string_view bytes = copy;
    while (const std::optional<boost::json::object> message = values_.next(bytes)) {
      const auto [format, undecided] = recognise_json(*message, values_.lines());
      if (format != nullptr) {
        return format;
      }
      if (!undecided) {
        on_unknown(values_.where() +
                   " has an unknown format; surtitle pipe --help lists the formats");
      }
    }
    return nullptr;
  }

  void on_unknown(const std::string& problem) {
    problem_ = problem_.empty() ? problem : problem_;
    if (++unknown_ == SkippedInput::kMaxUnreadable) {
      throw std::runtime_error(problem_);
    }
  }

  void choose(const RecogniserFormat& format) {
    chosen_ = format.name == "text" ? make_words_without_json(settings_, builder_)
                                    : open_recognised_format(format, settings_, builder_);
  }

  const RecogniserSettings settings_;
  MessageBuilder& builder_;
  std::string kept_;       // all bytes, while the format is undecided
  std::size_t begin_ = 0;  // of the line in kept_ that is examined
  MessageLines messages_;
  std::string first_skipped_;  // message of a library
  int skipped_ = 0;            // number of such messages
  bool is_announced_ = false;  // sherpa-onnx printed its banner
  bool in_objects_ = false;    // the input has JSON objects
  JsonValues values_;
  std::string problem_;  // the first line or object of no format
  int unknown_ = 0;      // number of such lines and objects
  std::unique_ptr<Recogniser> chosen_;
};

}  // namespace

std::unique_ptr<Recogniser> make_autodetect(const RecogniserSettings& settings,
                                            MessageBuilder& builder) {
  return std::make_unique<AutodetectRecogniser>(settings, builder);
}

}  // namespace surtitle
