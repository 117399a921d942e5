// Gladia's live API, v2: messages of its WebSocket, and of its callbacks.
//   {"type": "transcript", "session_id", "created_at", "data": {"id", "is_final",
//    "utterance": {"text", "start", "end", "language", "confidence", "channel", "words"}}}
//     the whole utterance so far; the final one has the same id. Times are seconds.
//   {"event": "live.transcript", "payload": {...}}   a callback with the message above
//   All other types (speech_start, audio_chunk, translation, post_transcript, ...) have no new
//   words of the source. A message may have an "error" with a "message".
#include "daemon/recognisers/first_channel.h"
#include "daemon/recognisers/formats.h"
#include "daemon/recognisers/json_recogniser.h"

namespace surtitle {
namespace {

namespace json = boost::json;

class Gladia : public JsonRecogniser {
 public:
  Gladia(const RecogniserSettings& settings, MessageBuilder& builder)
      : JsonRecogniser(settings, builder, "gladia"), channel_(settings) {}

 private:
  void on_message(JsonFields& message) override {
    if (message.has("payload")) {
      JsonFields payload(message.object("payload"), "payload");
      on_event(payload);
      message.adopt_error(payload);
    } else {
      on_event(message);
    }
  }

  void on_event(JsonFields& event) {
    const std::string type = event.text("type");
    if (event.has("error")) {
      JsonFields error(event.object("error"), "error");
      on_report(error, {"message"});
      event.adopt_error(error);
    } else if (type == "transcript") {
      JsonFields data(event.object("data"), "data");
      on_transcript(data);
      event.adopt_error(data);
    }
  }

  void on_transcript(JsonFields& data) {
    const std::string id = data.optional_text("id").value_or("");
    const bool is_final = data.optional_flag("is_final").value_or(false);
    JsonFields utterance(data.object("utterance"), "utterance");
    const std::string text = utterance.optional_text("text").value_or("");
    const MessageBuilder::Time end = utterance.optional_number("end");
    const std::int64_t channel = utterance.optional_whole_number("channel").value_or(0);
    data.adopt_error(utterance);
    if (data.error() || !channel_.accepts(std::to_string(channel))) {
      return;
    }
    if (id != id_) {
      builder().finalize();
      id_ = id;
    }
    if (is_final) {
      builder().final_text(text, end);
    } else {
      builder().hypothesis(text, end);
    }
  }

  FirstChannelFilter channel_;
  std::string id_;  // of the last utterance
};

}  // namespace

std::unique_ptr<Recogniser> make_gladia(const RecogniserSettings& settings,
                                        MessageBuilder& builder) {
  return std::make_unique<Gladia>(settings, builder);
}

Match sniff_gladia(const json::object& message, int /*lines*/) {
  const bool is_message =
      message.contains("type") && message.contains("session_id") && message.contains("created_at");
  return is_message || (message.contains("event") && message.contains("payload")) ? Match::kYes
                                                                                  : Match::kNo;
}

}  // namespace surtitle
