// Azure Speech: the JSON of the Speech SDK's results, and of the service's messages.
//   {"Id", "Text", "Offset", "Duration", "Channel"}          speech.hypothesis, speech.fragment:
//     the whole text of the utterance so far. Times are in units of 100 ns.
//   {"Id", "RecognitionStatus", "DisplayText", "Offset", "Duration",
//    "NBest": [{"Confidence", "Lexical", "ITN", "MaskedITN", "Display"}]}      speech.phrase:
//     Final. Only the status Success has words. NBest is in the detailed output, best first.
//   {"context"}, {"Offset"}: begin and end of a turn or of speech
#include "daemon/recognisers/first_channel.h"
#include "daemon/recognisers/formats.h"
#include "daemon/recognisers/json_recogniser.h"

namespace surtitle {
namespace {

namespace json = boost::json;

constexpr double kTicksPerSecond = 1e7;

class Azure : public JsonRecogniser {
 public:
  Azure(const RecogniserSettings& settings, MessageBuilder& builder)
      : JsonRecogniser(settings, builder, "azure"), channel_(settings) {}

 private:
  void on_message(JsonFields& message) override {
    if (message.has("error")) {
      JsonFields error(message.object("error"), "error");
      return on_report(error, {"message"});
    }
    const std::string status = message.optional_text("RecognitionStatus").value_or("");
    const std::string text =
        status.empty() ? message.optional_text("Text").value_or("") : phrase_of(message);
    const MessageBuilder::Time time = end_of(message);
    const std::int64_t channel = message.optional_whole_number("Channel").value_or(0);
    if (message.error() || !channel_.accepts(std::to_string(channel))) {
      return;
    }
    if (status == "Success") {
      builder().final_text(text, time);
    } else if (status == "Error") {
      on_report(message, {"ErrorDetails", "RecognitionStatus"});
    } else if (!status.empty()) {
      builder().finalize();
    } else if (message.has("Text")) {
      builder().hypothesis(text, time);
    } else if (!message.contains("Offset") && !message.contains("context")) {
      skip("the message must have one of the fields Text and RecognitionStatus");
    }
  }

  static std::string phrase_of(JsonFields& message) {
    if (const auto text = message.optional_text("DisplayText")) {
      return *text;
    }
    const json::object* best = first_object(message, "NBest");
    if (best == nullptr) {
      return {};
    }
    JsonFields alternative(*best, "an alternative");
    std::optional<std::string> text = alternative.optional_text("Display");
    text = text ? text : alternative.optional_text("Lexical");
    message.adopt_error(alternative);
    return text.value_or("");
  }

  static MessageBuilder::Time end_of(JsonFields& message) {
    const MessageBuilder::Time offset = message.optional_number("Offset");
    const MessageBuilder::Time duration = message.optional_number("Duration");
    return offset && duration ? std::optional(MessageBuilder::round_to_milliseconds(
                                    (*offset + *duration) / kTicksPerSecond))
                              : std::nullopt;
  }

  FirstChannelFilter channel_;
};

}  // namespace

std::unique_ptr<Recogniser> make_azure(const RecogniserSettings& settings,
                                       MessageBuilder& builder) {
  return std::make_unique<Azure>(settings, builder);
}

Match sniff_azure(const json::object& message, int /*lines*/) {
  return message.contains("RecognitionStatus") ||
                 (message.contains("Text") && message.contains("Offset"))
             ? Match::kYes
             : Match::kNo;
}

}  // namespace surtitle
