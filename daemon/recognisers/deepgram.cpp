// Deepgram's live transcription, /v1/listen, and its answer to a recording.
//   {"type": "Results", "channel_index": [0, 1], "start", "duration", "is_final", "speech_final",
//    "from_finalize", "channel": {"alternatives": [{"transcript", "confidence", "words"}]}}
//     is_final: this stretch of audio is complete; the next one continues after it, often within a
//     sentence. speech_final: the stretch also ends with a pause. The joined texts of all final
//     results are the whole transcript. The best alternative is the first.
//   {"type": "UtteranceEnd", "channel", "last_word_end"}    a gap between words, after a
//     speech_final or instead of one
//   Metadata and SpeechStarted have no words.
//   {"metadata", "results": {"channels": [{"alternatives": [{"transcript", ...}]}]}}
//     A recording's answer: the whole transcript of each channel.
#include "daemon/recognisers/first_channel.h"
#include "daemon/recognisers/formats.h"
#include "daemon/recognisers/json_recogniser.h"

namespace surtitle {
namespace {

namespace json = boost::json;

class Deepgram : public JsonRecogniser {
 public:
  Deepgram(const RecogniserSettings& settings, MessageBuilder& builder)
      : JsonRecogniser(settings, builder, "deepgram"), channel_(settings) {}

 private:
  void on_message(JsonFields& message) override {
    if (message.has("results")) {
      return on_recording(message);
    }
    const std::string type = message.text("type");
    if (type == "Results") {
      on_results(message);
    } else if (type == "UtteranceEnd") {
      if (channel_.accepts(first_number(message, "channel"))) {
        builder().end_sentence();
      }
    } else if (type == "Error") {
      on_report(message, {"description", "message"});
    }
  }

  void on_recording(JsonFields& message) {
    JsonFields results(message.object("results"), "results");
    if (const json::object* first = first_object(results, "channels")) {
      JsonFields channel(*first, "a channel");
      const std::string transcript = transcript_of(channel);
      results.adopt_error(channel);
      if (!results.error()) {
        builder().text(transcript);
        builder().end_sentence();
      }
    }
    message.adopt_error(results);
  }

  static std::string transcript_of(JsonFields& channel) {
    std::string transcript;
    if (const json::object* best = first_object(channel, "alternatives")) {
      JsonFields alternative(*best, "an alternative");
      transcript = alternative.optional_text("transcript").value_or("");
      channel.adopt_error(alternative);
    }
    return transcript;
  }

  void on_results(JsonFields& message) {
    const bool is_final = message.optional_flag("is_final").value_or(false);
    const bool speech_final = message.optional_flag("speech_final").value_or(false);
    JsonFields channel(message.object("channel"), "channel");
    const std::string transcript = transcript_of(channel);
    message.adopt_error(channel);
    const MessageBuilder::Time time = end_of(message);
    const bool is_heard = channel_.accepts(first_number(message, "channel_index"));
    if (message.error() || !is_heard) {
      return;
    }
    if (is_final) {
      builder().final_text(transcript, time, speech_final);
    } else {
      builder().hypothesis(transcript, time);
    }
  }

  static MessageBuilder::Time end_of(JsonFields& message) {
    const MessageBuilder::Time start = message.optional_number("start");
    const MessageBuilder::Time duration = message.optional_number("duration");
    return start && duration
               ? std::optional(MessageBuilder::round_to_milliseconds(*start + *duration))
               : std::nullopt;
  }

  // [channel, number of channels]
  static std::string first_number(JsonFields& message, std::string_view key) {
    const std::vector<double> numbers = message.numbers(key);
    return std::to_string(numbers.empty() ? 0 : static_cast<std::int64_t>(numbers.front()));
  }

  FirstChannelFilter channel_;
};

}  // namespace

std::unique_ptr<Recogniser> make_deepgram(const RecogniserSettings& settings,
                                          MessageBuilder& builder) {
  return std::make_unique<Deepgram>(settings, builder);
}

Match sniff_deepgram(const json::object& message, int /*lines*/) {
  if (const auto* results = message.if_contains("results"); results != nullptr) {
    const json::object* object = results->if_object();
    return object != nullptr && object->contains("channels") ? Match::kYes : Match::kNo;
  }
  const std::string_view name = text_field(message, "type");
  if (name == "SpeechStarted") {  // AssemblyAI also sends it
    return message.contains("channel") ? Match::kYes : Match::kUndecided;
  }
  return name == "Results" || name == "Metadata" || name == "UtteranceEnd" ? Match::kYes
                                                                           : Match::kNo;
}

}  // namespace surtitle
