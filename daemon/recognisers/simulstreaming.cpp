// Default output of SimulStreaming (ufal/SimulStreaming): one JSON object per line.
//   {"start", "end", "text": " And so,", "tokens", "words", "is_final", "emission_time"}
//     "text" is final. If it does not begin with a space, it continues the last word. Times are
//     seconds. Without --vac there is no is_final; the server sends no emission_time.
//   {"is_final": true, "emission_time"}        the voice ended; false: no text was added
// Rows of its translator also have a "status". The text of an INCOMPLETE row is repeated in a later
// COMPLETE one.
#include "daemon/recognisers/formats.h"
#include "daemon/recognisers/json_recogniser.h"

namespace surtitle {
namespace {

class SimulStreaming : public JsonRecogniser {
 public:
  SimulStreaming(const RecogniserSettings& settings, MessageBuilder& builder)
      : JsonRecogniser(settings, builder, "simulstreaming") {}

 private:
  void on_message(JsonFields& message) override {
    const std::string text = message.optional_text("text").value_or("");
    const bool voice_ended = message.contains("text")
                                 ? message.optional_flag("is_final").value_or(false)
                                 : message.flag("is_final");
    const MessageBuilder::Time end = message.optional_number("end");
    if (message.optional_text("status") == "INCOMPLETE" || message.error()) {
      return;
    }
    builder().text(text, end);
    if (voice_ended) {
      builder().end_sentence();
    }
  }
};

}  // namespace

std::unique_ptr<Recogniser> make_simulstreaming(const RecogniserSettings& settings,
                                                MessageBuilder& builder) {
  return std::make_unique<SimulStreaming>(settings, builder);
}

Match sniff_simulstreaming(const boost::json::object& message, int /*lines*/) {
  const bool text =
      message.contains("start") && message.contains("tokens") && message.contains("words");
  const bool voice =
      message.contains("is_final") && (message.contains("emission_time") || message.size() == 1);
  return text || voice ? Match::kYes : Match::kNo;
}

}  // namespace surtitle
