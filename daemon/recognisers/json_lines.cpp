// The project's own format: lines of TimedLine, maybe in an array or after a prefix. A line
// without an object has plain words; a blank line ends the sentence.
#include "daemon/recognisers/formats.h"
#include "daemon/recognisers/line_recogniser.h"
#include "daemon/recognisers/timed_line.h"

namespace surtitle {
namespace {

// Whether a line has an object: speech never has {"
bool has_object(std::string_view line) {
  const std::size_t open = line.find('{');
  const std::size_t next = open == line.npos ? open : line.find_first_not_of(" \t", open + 1);
  return next != line.npos && (line[next] == '"' || line[next] == '}');
}

class JsonLines : public LineRecogniser {
 public:
  using LineRecogniser::LineRecogniser;

 private:
  void on_line(std::string_view line) override {
    const std::size_t first = line.find_first_not_of(" \t");
    if (first == std::string_view::npos) {
      builder().end_sentence();
    } else if (line[first] != '{' && !has_object(line)) {
      add_words(line, {});
    } else {
      for (const TimedLine& logged : parse_logged_objects(line)) {
        on_object(logged);
      }
    }
  }

  void on_object(const TimedLine& logged) {
    if (!logged.final) {
      add_words(logged.text, logged.time);
    } else if (*logged.final) {
      builder().final_text(logged.text, logged.time);
    } else {
      builder().hypothesis(logged.text, logged.time);
    }
  }

  void add_words(std::string_view words, std::optional<double> time) {
    builder().text(words, time);
    builder().end_word();
  }
};

}  // namespace

std::unique_ptr<Recogniser> make_json_lines(const RecogniserSettings& settings,
                                            MessageBuilder& builder) {
  return std::make_unique<JsonLines>(settings, builder);
}

Match sniff_json_lines(const boost::json::object& message, int lines) {
  const auto* text = message.if_contains("text");
  if (text == nullptr || !text->is_string() || lines > 1) {
    return Match::kNo;
  }
  if (message.contains("time") || message.contains("final")) {
    return Match::kYes;
  }
  if (message.size() > 1) {
    return Match::kNo;
  }
  // Vosk also prints {"text": ""}, before it has recognised any word.
  return text->get_string().empty() ? Match::kUndecided : Match::kYes;
}

}  // namespace surtitle
