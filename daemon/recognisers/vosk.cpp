// Vosk (vosk-api, src/recognizer.cc) and its server: JSON objects of several lines.
//   {"partial": "what ze"}                      the text since the last final one, may be ""
//     with SetPartialWords also "partial_result": [{"conf", "end", "start", "word"}]
//   {"result": [{"conf", "end", "start", "word"}], "text": "what zero"}    final; result only if
//     words are enabled and there are any; seconds since the recogniser started
//   {"alternatives": [{"confidence", "result", "text"}]}       final, best first
// Before the first word, {"text": ""} is also the answer to a request for a partial result.
#include "daemon/recognisers/formats.h"
#include "daemon/recognisers/json_recogniser.h"

namespace surtitle {
namespace {

// Returns the end of the last word of a list.
std::optional<double> end_of(JsonFields& message, std::string_view list) {
  const auto words = message.objects(list);
  if (words.empty()) {
    return std::nullopt;
  }
  JsonFields last(*words.back(), "a word");
  const std::optional<double> end = last.optional_number("end");
  message.adopt_error(last);
  return end;
}

class Vosk : public JsonRecogniser {
 public:
  Vosk(const RecogniserSettings& settings, MessageBuilder& builder)
      : JsonRecogniser(settings, builder, "vosk") {}

 private:
  void on_message(JsonFields& message) override {
    if (message.contains("partial")) {
      add_text(message, message.optional_text("partial").value_or(""),
               end_of(message, "partial_result"), /*final=*/false);
    } else if (message.contains("text")) {
      add_text(message, message.optional_text("text").value_or(""), end_of(message, "result"),
               /*final=*/true);
    } else if (const auto* best = first_object(message, "alternatives")) {
      JsonFields alternative(*best, "an alternative");
      const std::string text = alternative.optional_text("text").value_or("");
      const MessageBuilder::Time time = end_of(alternative, "result");
      message.adopt_error(alternative);
      add_text(message, text, time, /*final=*/true);
    } else if (message.contains("alternatives")) {
      add_text(message, "", {}, /*final=*/true);
    } else {
      skip("the message must have one of the fields partial, text and alternatives");
    }
  }

  void add_text(const JsonFields& message, const std::string& text, MessageBuilder::Time time,
                bool final) {
    if (message.error()) {
      return;
    }
    if (final) {
      builder().final_text(text, time);
    } else {
      builder().hypothesis(text, time);
    }
  }
};

}  // namespace

std::unique_ptr<Recogniser> make_vosk(const RecogniserSettings& settings, MessageBuilder& builder) {
  return std::make_unique<Vosk>(settings, builder);
}

Match sniff_vosk(const boost::json::object& message, int lines) {
  const bool has_text = message.contains("text");
  if (message.contains("partial") || (has_text && message.contains("result")) ||
      (message.contains("alternatives") && !message.contains("type"))) {
    return Match::kYes;
  }
  return has_text && message.size() == 1 && lines > 1 ? Match::kYes : Match::kNo;
}

}  // namespace surtitle
