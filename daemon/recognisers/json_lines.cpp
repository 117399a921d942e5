// The project's own format: lines of TimedLine, maybe in an array or after a prefix. A line
// without an object has plain words; a blank line ends the sentence.
#include <boost/json.hpp>
#include <stdexcept>

#include "daemon/base/json_parse.h"
#include "daemon/base/json_repair.h"
#include "daemon/recognisers/formats.h"
#include "daemon/recognisers/json_in_text.h"
#include "daemon/recognisers/line_recogniser.h"
#include "daemon/recognisers/timed_line.h"

namespace surtitle {
namespace {

class JsonLines : public LineRecogniser {
 public:
  JsonLines(const RecogniserSettings& settings, MessageBuilder& builder)
      : LineRecogniser(settings, builder, /*has_foreign_lines=*/true, /*line_ends=*/"\r\n") {}

 private:
  void on_line(std::string_view line) override {
    const std::size_t first = line.find_first_not_of(" \t");
    if (first == std::string_view::npos) {
      builder().end_sentence();
    } else if (line.substr(first).starts_with("\"{\\\"")) {
      on_line(unquoted(line));
    } else if (line[first] != '{' && !is_own(line)) {
      add_words(line, {});
    } else {
      for (const TimedLine& logged : parse_logged_objects(line)) {
        on_object(logged);
      }
    }
  }

  // Speech never has an object.
  bool is_own(std::string_view line) const override { return find_object(line) != line.npos; }

  void on_object(const TimedLine& logged) {
    if (find_object(logged.text) == 0) {
      throw std::runtime_error("field text has JSON, which is not translated");
    }
    if (!logged.final) {
      add_words(logged.text, logged.time);
    } else if (*logged.final) {
      builder().final_text(logged.text, logged.time);
    } else {
      builder().hypothesis(logged.text, logged.time);
    }
  }

  // Returns what a JSON string contains.
  static std::string unquoted(std::string_view line) {
    boost::system::error_code failure;
    const boost::json::value value = parse_lenient_json(repair_json(line), failure);
    if (failure || !value.is_string()) {
      throw std::runtime_error("the line is not valid JSON");
    }
    return std::string(value.get_string());
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
