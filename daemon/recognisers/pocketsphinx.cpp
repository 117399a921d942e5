// PocketSphinx prints the final text of each utterance at its end.
//   where is the station                       pocketsphinx_continuous (0.8, 5prealpha)
//   000000003: where is the station            pocketsphinx_continuous 0.8, before "READY...."
//   <sil> 0.000 0.990 1.000000                   with -time yes: word, begin, end, probability;
//   station(2) 1.870 2.460 1.000000              seconds since the beginning of its input
//   {"b":0.990,"d":1.470,"p":1.000,"t":"where is the station","w":[...]}     pocketsphinx live (5)
// The times of the words follow their text, so a text is kept until the next one or a pause.
#include <boost/json.hpp>
#include <charconv>
#include <stdexcept>
#include <utility>

#include "daemon/base/json_fields.h"
#include "daemon/base/json_parse.h"
#include "daemon/base/json_repair.h"
#include "daemon/base/text.h"
#include "daemon/recognisers/foreign_lines.h"
#include "daemon/recognisers/formats.h"
#include "daemon/recognisers/line_recogniser.h"
#include "model/text/words.h"

namespace surtitle {
namespace {

namespace json = boost::json;

std::optional<double> number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value)
                                                                  : std::nullopt;
}

// A line of -time yes.
struct TimedWord {
  bool spoken = false;  // false: a pause or a noise
  double end = 0;
};

std::optional<TimedWord> timed_word(std::string_view line) {
  const std::vector<std::string_view> columns = split_words(line);
  if (columns.size() != 4 || !number(columns[1]) || !number(columns[3])) {
    return std::nullopt;
  }
  const std::optional<double> end = number(columns[2]);
  const bool spoken = !columns[0].starts_with('<') && !columns[0].starts_with('[');
  return end ? std::optional(TimedWord{spoken, *end}) : std::nullopt;
}

// Removes the number of the utterance: "000000003: where is the station".
std::string_view without_number(std::string_view line) {
  const std::size_t digits = line.find_first_not_of("0123456789");
  const bool numbered = digits == 9 && line[digits] == ':';
  return numbered ? line.substr(digits + 1) : line;
}

class PocketSphinx : public LineRecogniser {
 public:
  using LineRecogniser::LineRecogniser;

  void pause() override { finalize(); }

 private:
  void on_line(std::string_view line) override {
    if (const std::optional<TimedWord> word = timed_word(line)) {
      end_ = word->spoken ? word->end : end_;
      return;
    }
    finalize();
    if (line.starts_with('{')) {
      on_object(line);
    } else {
      utterance_ = without_number(line);
    }
  }

  void on_object(std::string_view line) {
    boost::system::error_code failure;
    const json::value document = parse_lenient_json(repair_json(line), failure);
    if (failure || !document.is_object()) {
      throw std::runtime_error("the line " + in_quotes(line, 30) + " is not a JSON object");
    }
    JsonFields fields(document.get_object(), "pocketsphinx");
    const std::string text = fields.optional_text("t").value_or("");
    const MessageBuilder::Time begin = fields.optional_number("b");
    const MessageBuilder::Time length = fields.optional_number("d");
    if (fields.error()) {
      throw std::runtime_error(*fields.error());
    }
    if (!fields.contains("t")) {
      throw std::runtime_error("the message must have the field t");
    }
    builder().final_text(
        text, begin && length
                  ? std::optional(MessageBuilder::round_to_milliseconds(*begin + *length))
                  : std::nullopt);
  }

  void on_prompt() override { finalize(); }
  void on_end() override { finalize(); }

  // The last utterance is complete, including the times of its words.
  void finalize() {
    const MessageBuilder::Time end = std::exchange(end_, std::nullopt);
    const std::string text = std::exchange(utterance_, {});
    if (text.find_first_not_of(' ') != text.npos) {
      builder().final_text(text, end);
    }
  }

  std::string utterance_;
  MessageBuilder::Time end_;  // of its last word
};

}  // namespace

std::unique_ptr<Recogniser> make_pocketsphinx(const RecogniserSettings& settings,
                                              MessageBuilder& builder) {
  return std::make_unique<PocketSphinx>(settings, builder);
}

// The words of pocketsphinx_continuous are plain text. Its log, its prompts and its numbers are
// not.
Match sniff_pocketsphinx_text(std::string_view begin) { return match_pocketsphinx(begin); }

Match sniff_pocketsphinx(const json::object& message, int /*lines*/) {
  return message.contains("b") && message.contains("d") && message.contains("t") ? Match::kYes
                                                                                 : Match::kNo;
}

}  // namespace surtitle
