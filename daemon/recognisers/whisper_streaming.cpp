// whisper_streaming (ufal/whisper_streaming) and SimulStreaming with --out-txt: lines of final
// text.
//   2691.4399 300 1380 Chairman, thank you.     whisper_online.py: emitted, begin, end, in ms
//   300 1380 Chairman, thank you.               its server: begin, end; padded with NUL bytes
// One space separates the columns; the rest is the text, including a leading space. Whisper's own
// words have that space. After the first text with it, a text without it continues the last word.
// Other backends never have it, and each of their texts consists of whole words. The server omits a
// line that repeats the line before, and the last words of its input.
#include <charconv>
#include <stdexcept>

#include "daemon/base/text.h"
#include "daemon/recognisers/formats.h"
#include "daemon/recognisers/line_recogniser.h"

namespace surtitle {
namespace {

// Removes a number and the space after it from the front of `line`. Returns nullopt if the line
// does not begin with them.
std::optional<double> consume_column(std::string_view& line) {
  double number = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), number);
  const auto length = static_cast<std::size_t>(end - line.data());
  if (error != std::errc() || length == line.size() || line[length] != ' ') {
    return std::nullopt;
  }
  line.remove_prefix(length + 1);
  return number;
}

class WhisperStreaming : public LineRecogniser {
 public:
  WhisperStreaming(const RecogniserSettings& settings, MessageBuilder& builder,
                   bool has_emission_time)
      : LineRecogniser(settings, builder), has_emission_time_(has_emission_time) {}

 private:
  void on_line(std::string_view line, const std::string& where) override {
    std::string without_padding(line);
    std::erase(without_padding, '\0');
    std::string_view rest = without_padding;
    if (rest.empty()) {
      return;
    }
    const bool emitted = !has_emission_time_ || consume_column(rest);
    const std::optional<double> begin = emitted ? consume_column(rest) : std::nullopt;
    const std::optional<double> end = begin ? consume_column(rest) : std::nullopt;
    if (!end) {
      throw std::runtime_error(where + ": the line begins with " + in_quotes(line, 30) +
                               "; expected a line such as '" +
                               (has_emission_time_ ? "2691.4399 " : "") +
                               "300 1380 Chairman, thank you.' with times in ms");
    }
    on_text(rest, *end / 1000);
  }

  void on_text(std::string_view text, double time) {
    parts_words_ = parts_words_ || text.starts_with(' ');
    builder().text(text, time);
    if (!parts_words_) {
      builder().end_word();
    }
  }

  const bool has_emission_time_;
  bool parts_words_ = false;  // a text has begun with a space
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Compares with columns of digits that a space follows. `decimals`: the first column has decimals.
Match sniff_columns(std::string_view begin, int columns, bool decimals) {
  bool in_decimals = false;
  int digits = 0;
  for (const char c : begin) {
    if (is_digit(c)) {
      ++digits;
      continue;
    }
    const bool is_point = c == '.' && decimals && !in_decimals;
    const bool is_end = c == ' ' && in_decimals == decimals;
    if (digits == 0 || !(is_point || is_end)) {
      return Match::kNo;
    }
    digits = 0;
    in_decimals = is_point;
    if (is_end) {
      decimals = false;
      if (--columns == 0) {
        return Match::kYes;
      }
    }
  }
  return Match::kUndecided;
}

}  // namespace

std::unique_ptr<Recogniser> make_whisper_streaming(const RecogniserSettings& settings,
                                                   MessageBuilder& builder) {
  return std::make_unique<WhisperStreaming>(settings, builder, /*has_emission_time=*/true);
}

std::unique_ptr<Recogniser> make_whisper_streaming_server(const RecogniserSettings& settings,
                                                          MessageBuilder& builder) {
  return std::make_unique<WhisperStreaming>(settings, builder, /*has_emission_time=*/false);
}

Match sniff_whisper_streaming(std::string_view begin) {
  return sniff_columns(begin, 3, /*decimals=*/true);
}

Match sniff_whisper_streaming_server(std::string_view begin) {
  return sniff_columns(begin, 2, /*decimals=*/false);
}

}  // namespace surtitle
