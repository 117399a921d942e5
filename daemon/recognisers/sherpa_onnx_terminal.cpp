// sherpa-onnx' programs for a terminal, which print to standard error.
//   0:guten morgen           sherpa-onnx-microphone and -alsa: segment and its current text. It is
//     drawn again after a carriage return. A long text continues in a line that begins with a
//     space. A program for Windows prints each version in a line of its own.
//    0: Guten Morgen.        the programs with "vad" and "offline-asr": each line is final
//   vad segment(0:0.320-1.240) results: guten morgen      sherpa-onnx-vad-with-online-asr
//   0.320 -- 1.240: Guten Morgen.                         sherpa-onnx-vad-with-offline-asr
//   === Speech Recognition with Next-gen Kaldi ===        examples in Python, and "simulated"
//   [2026-08-07 10:00:00] 1. Guten Morgen.                  programs: the whole screen each time
//   Recognizing: Meine Damen
#include <charconv>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "daemon/base/text.h"
#include "daemon/recognisers/formats.h"
#include "daemon/recognisers/line_recogniser.h"
#include "model/text/ascii.h"

namespace surtitle {
namespace {

constexpr std::string_view kHeader = "=== Speech Recognition with Next-gen Kaldi ===";
constexpr std::string_view kTimedSegment = "vad segment(";
constexpr std::string_view kClock = "Time: ";
constexpr std::string_view kCurrent = "Recognizing: ";
constexpr std::size_t kMaxDigits = 6;  // of the number of a segment

struct NumberedText {
  int number = 0;
  std::string_view text;
};

// Removes the number at the front of `line`.
std::optional<int> consume_number(std::string_view& line) {
  const std::size_t digits = std::min(line.find_first_not_of("0123456789"), line.size());
  int number = 0;
  if (digits == 0 || digits > kMaxDigits) {
    return std::nullopt;
  }
  std::from_chars(line.data(), line.data() + digits, number);
  line.remove_prefix(digits);
  return number;
}

// "0:guten morgen". A time, such as "10:30", is none.
std::optional<NumberedText> segment_of(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  const std::optional<int> number = consume_number(line);
  if (!number || !line.starts_with(':') || (line.size() > 1 && is_digit(line[1]))) {
    return std::nullopt;
  }
  return NumberedText{*number, trimmed(line.substr(1))};
}

// "[2026-08-07 10:00:00] 1. Guten Morgen."
std::optional<NumberedText> sentence_of(std::string_view line) {
  const std::size_t time_end = line.find("] ");
  if (!line.starts_with('[') || time_end == line.npos) {
    return std::nullopt;
  }
  line.remove_prefix(time_end + 2);
  const std::optional<int> number = consume_number(line);
  return number && line.starts_with(". ") ? std::optional(NumberedText{*number, line.substr(2)})
                                          : std::nullopt;
}

struct TimedText {
  double end = 0;
  std::string_view text;
};

// "vad segment(0:0.320-1.240) results: guten morgen", "0.320 -- 1.240: Guten Morgen."
std::optional<TimedText> timed_of(std::string_view line) {
  const bool is_online = line.starts_with(kTimedSegment);
  const std::string_view before = is_online ? "-" : " -- ";
  const std::string_view after = is_online ? ") results: " : ": ";
  const std::size_t begin = line.find(before);
  const std::size_t end = line.find(after, begin == line.npos ? begin : begin + before.size());
  if (end == line.npos || (!is_online && !is_digit(line[0]))) {
    return std::nullopt;
  }
  TimedText timed{0, line.substr(end + after.size())};
  const char* number = line.data() + begin + before.size();
  const auto [parsed, error] = std::from_chars(number, line.data() + end, timed.end);
  return error == std::errc() && parsed == line.data() + end ? std::optional(timed) : std::nullopt;
}

class SherpaOnnxTerminal : public LineRecogniser {
 public:
  SherpaOnnxTerminal(const RecogniserSettings& settings, MessageBuilder& builder)
      : LineRecogniser(settings, builder, /*has_foreign_lines=*/true, /*line_ends=*/"\r\n") {}

  // The line is drawn to its end.
  void pause() override {
    if (segment_ && incomplete().starts_with(' ') && !lines_are_final_) {
      show(drawn_ + std::string(without_first(incomplete())));
    } else if (const auto segment = segment_of(incomplete());
               segment && !incomplete().starts_with(' ')) {
      on_segment(*segment);
      show(drawn_);
    } else {
      show(drawn_);
    }
  }

 private:
  void on_line(std::string_view line) override {
    if (const auto sentence = sentence_of(line)) {
      on_sentence(*sentence);
    } else if (line.starts_with(kCurrent)) {
      drawn_ = line.substr(kCurrent.size());
      show(drawn_);
    } else if (const auto timed = timed_of(line)) {
      builder().final_text(timed->text, timed->end);
    } else if (const auto segment = segment_of(line)) {
      lines_are_final_ = lines_are_final_ || line.starts_with(' ');
      on_segment(*segment);
    } else if (segment_ && line.starts_with(' ')) {
      drawn_ += without_first(line);
    } else if (!line.empty() && line != kHeader && !line.starts_with(kClock)) {
      throw std::runtime_error("the line " + in_quotes(line, 30) + " has no number of a segment");
    }
  }

  bool is_own(std::string_view line) const override {
    return line == kHeader || sentence_of(line) || timed_of(line) || segment_of(line);
  }

  void on_end() override { end_segment(); }

  void on_segment(const NumberedText& segment) {
    if (segment_ != segment.number) {
      end_segment();
    }
    show(drawn_);
    segment_ = segment.number;
    drawn_ = segment.text;
    if (lines_are_final_) {
      end_segment();
    }
  }

  void on_sentence(const NumberedText& sentence) {
    if (sentence.number > sentences_) {
      sentences_ = sentence.number;
      builder().final_text(sentence.text);
      drawn_.clear();
      shown_.clear();
    }
  }

  void show(const std::string& text) {
    if (!text.empty() && text != shown_) {
      shown_ = text;
      builder().hypothesis(text);
    }
  }

  void end_segment() {
    if (!drawn_.empty()) {
      builder().final_text(std::exchange(drawn_, {}));
    }
    shown_.clear();
    segment_.reset();
  }

  static std::string_view without_first(std::string_view line) {
    return line.substr(line.empty() ? 0 : 1);
  }

  std::optional<int> segment_;    // the open one
  std::string drawn_;             // its current text
  std::string shown_;             // its last hypothesis
  bool lines_are_final_ = false;  // the lines are those of a program with VAD
  int sentences_ = 0;             // of the screen
};

}  // namespace

std::unique_ptr<Recogniser> make_sherpa_onnx_terminal(const RecogniserSettings& settings,
                                                      MessageBuilder& builder) {
  return std::make_unique<SherpaOnnxTerminal>(settings, builder);
}

bool is_sherpa_onnx_line(std::string_view begin) {
  begin.remove_prefix(std::min(begin.find_first_not_of(' '), begin.size()));
  const auto segment = segment_of(begin);
  const bool has_text = segment && !segment->text.empty() && segment->text[0] != '{';
  return has_text || timed_of(begin) || begin.starts_with(kHeader);
}

// Without the program's banner, the first segment is known by a letter directly after its number.
Match sniff_sherpa_onnx_text(std::string_view begin) {
  constexpr std::string_view kFirst = "0:";
  if (begin.size() <= kFirst.size() && kFirst.starts_with(begin)) {
    return Match::kUndecided;
  }
  if (begin.starts_with(kFirst)) {
    const char c = begin[kFirst.size()];
    return is_letter(c) || static_cast<unsigned char>(c) >= 0x80U ? Match::kYes : Match::kNo;
  }
  for (const std::string_view known : {kHeader, kTimedSegment}) {
    if (begin.starts_with(known) || known.starts_with(begin)) {
      return begin.size() < known.size() ? Match::kUndecided : Match::kYes;
    }
  }
  return Match::kNo;
}

}  // namespace surtitle
