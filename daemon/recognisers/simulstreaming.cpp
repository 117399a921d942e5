// SimulStreaming (ufal/SimulStreaming), its default output: a JSON object a line.
//   {"start", "end", "text": " And so,", "tokens", "words", "is_final", "emission_time"}
//     text is what was added for good; where it does not begin with a space, it goes on in the
//     middle of the last word; seconds
//   {"is_final": true, "emission_time"}        the voice ended
// Its translator's rows have a "status" besides; those INCOMPLETE come again in a COMPLETE one.
#include "daemon/recognisers/formats.h"
#include "daemon/recognisers/json_recogniser.h"

namespace surtitle {
namespace {

class SimulStreaming : public JsonRecogniser {
 public:
  SimulStreaming(const RecogniserSettings& settings, Heard& heard)
      : JsonRecogniser(settings, heard, "simulstreaming") {}

 private:
  void take(JsonFields& message) override {
    const bool voice_ended = message.flag("is_final");
    const std::string text = message.optional_text("text").value_or("");
    const Heard::Time end = message.optional_number("end");
    if (message.optional_text("status") == "INCOMPLETE" || message.error()) {
      return;
    }
    heard().text(text, end);
    if (voice_ended) {
      heard().end_sentence();
    }
  }
};

}  // namespace

std::unique_ptr<Recogniser> make_simulstreaming(const RecogniserSettings& settings, Heard& heard) {
  return std::make_unique<SimulStreaming>(settings, heard);
}

Likeness looks_like_simulstreaming(const boost::json::object& message, int /*lines*/) {
  return message.contains("emission_time") && message.contains("is_final") ? Likeness::kYes
                                                                           : Likeness::kNo;
}

}  // namespace surtitle
