// whisper_streaming (ufal/whisper_streaming) and SimulStreaming with --out-txt: lines of final
// text.
//   2691.4399 300 1380 Chairman, thank you.     whisper_online.py: emitted, begin, end, in ms
//   300 1380 Chairman, thank you.               its server: begin, end; padded with NUL bytes
// One space separates the columns; the rest is the text, including a leading space. Whisper's own
// words have that space. After the first text with it, a text without it continues the last word.
// Other backends never have it, and each of their texts consists of whole words. The server omits a
// line that repeats the line before, and the last words of its input. So a repeated line is the
// same audio, and so are words that a line which overlaps the line before repeats at its beginning.
#include <charconv>
#include <stdexcept>
#include <vector>

#include "daemon/base/text.h"
#include "daemon/recognisers/formats.h"
#include "daemon/recognisers/line_recogniser.h"
#include "daemon/recognisers/word_overlap.h"
#include "model/text/ascii.h"
#include "model/text/words.h"

namespace surtitle {
namespace {

// Lines overlap by less than this, in ms, without having a word in common.
constexpr double kOverlap = 100;
// Numbers that are words, such as "1 2 test" and "10 30 Uhr", are closer than two times.
constexpr double kShortest = 100;

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
  void on_line(std::string_view line) override {
    std::string_view rest = line;
    if (rest.find_first_not_of(" \t") == rest.npos) {
      return;
    }
    const bool emitted = !has_emission_time_ || consume_column(rest);
    const std::optional<double> begin = emitted ? consume_column(rest) : std::nullopt;
    const std::optional<double> end = begin ? consume_column(rest) : std::nullopt;
    if (!end) {
      throw std::runtime_error("the line begins with " + in_quotes(line, 30) +
                               "; expected a line such as '" +
                               (has_emission_time_ ? "2691.4399 " : "") +
                               "300 1380 Chairman, thank you.' with times in ms");
    }
    if (line == last_line_) {
      return;  // the same audio
    }
    const bool overlaps = *begin < end_ - kOverlap;
    end_ = *end;
    last_line_ = line;
    on_text(overlaps ? without_repeated(rest) : std::string(rest), *end / 1000);
  }

  // Returns the text without the words at its beginning that the last line ended with.
  std::string without_repeated(std::string_view text) {
    const std::vector<std::string_view> words = split_words(text);
    const std::size_t repeated = repeated_words(last_words_, {words.begin(), words.end()});
    return (text.starts_with(' ') ? " " : "") + join_words(words, repeated, words.size());
  }

  void on_text(const std::string& text, double time) {
    const std::vector<std::string_view> words = split_words(text);
    last_words_.assign(words.begin(), words.end());
    parts_words_ = parts_words_ || text.starts_with(' ');
    builder().text(text, time);
    if (!parts_words_) {
      builder().end_word();
    }
  }

  const bool has_emission_time_;
  bool parts_words_ = false;  // a text has begun with a space
  std::string last_line_;
  std::vector<std::string> last_words_;
  double end_ = 0;  // of the last line, in ms
};

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
  const Match match = sniff_columns(begin, 2, /*decimals=*/false);
  if (match != Match::kYes) {
    return match;
  }
  const double first = consume_column(begin).value_or(0);
  return consume_column(begin).value_or(0) - first < kShortest ? Match::kNo : Match::kYes;
}

}  // namespace surtitle
