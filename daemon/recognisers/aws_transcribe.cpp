// Amazon Transcribe's streaming API: TranscriptEvent as JSON, by itself or as a field of that name.
//   {"Transcript": {"Results": [{"ResultId", "StartTime", "EndTime", "IsPartial", "ChannelId",
//     "Alternatives": [{"Transcript", "Items": [{"Content", "Type", "Stable", ...}]}]}]}}
//     A result is sent again and again until it is not partial: then it is final. Times are
//     seconds. A channel is "ch_0". "Stable" marks words that seldom change, which agreement
//     finds out as well. It is not used.
//   {"Message"}      an exception; the SDKs may name it: {"BadRequestException": {"Message"}}
#include <string_view>

#include "daemon/recognisers/first_channel.h"
#include "daemon/recognisers/formats.h"
#include "daemon/recognisers/json_recogniser.h"

namespace surtitle {
namespace {

namespace json = boost::json;

class AwsTranscribe : public JsonRecogniser {
 public:
  AwsTranscribe(const RecogniserSettings& settings, MessageBuilder& builder)
      : JsonRecogniser(settings, builder, "aws-transcribe"), channel_(settings) {}

 private:
  void on_message(JsonFields& message) override {
    if (message.has("TranscriptEvent")) {
      JsonFields event(message.object("TranscriptEvent"), "TranscriptEvent");
      on_event(event);
      message.adopt_error(event);
    } else if (message.has("Transcript")) {
      on_event(message);
    } else if (message.has("Message")) {
      on_report(message, {"Message"});
    } else {
      on_exception(message);
    }
  }

  void on_event(JsonFields& event) {
    JsonFields transcript(event.object("Transcript"), "Transcript");
    const auto results = transcript.objects("Results");
    event.adopt_error(transcript);
    if (event.error()) {
      return;
    }
    for (const json::object* object : results) {
      JsonFields result(*object, "a result");
      on_result(result);
      event.adopt_error(result);
    }
  }

  void on_result(JsonFields& result) {
    const bool is_partial = result.optional_flag("IsPartial").value_or(false);
    const MessageBuilder::Time end = result.optional_number("EndTime");
    const std::string channel = result.optional_text("ChannelId").value_or("");
    std::string text;
    if (const json::object* best = first_object(result, "Alternatives")) {
      JsonFields alternative(*best, "an alternative");
      text = alternative.optional_text("Transcript").value_or("");
      result.adopt_error(alternative);
    }
    if (result.error() || !channel_.accepts(channel)) {
      return;
    }
    if (is_partial) {
      builder().hypothesis(text, end);
    } else {
      builder().final_text(text, end);
    }
  }

  void on_exception(JsonFields& message) {
    for (const std::string_view name :
         {"BadRequestException", "LimitExceededException", "InternalFailureException",
          "ConflictException", "ServiceUnavailableException"}) {
      if (message.has(name)) {
        JsonFields exception(message.object(name), name);
        return on_report(exception, {"Message", "message"});
      }
    }
    skip("the message must have the field Transcript");
  }

  FirstChannelFilter channel_;
};

}  // namespace

std::unique_ptr<Recogniser> make_aws_transcribe(const RecogniserSettings& settings,
                                                MessageBuilder& builder) {
  return std::make_unique<AwsTranscribe>(settings, builder);
}

Match sniff_aws_transcribe(const json::object& message, int /*lines*/) {
  return message.contains("TranscriptEvent") || message.contains("Transcript") ? Match::kYes
                                                                               : Match::kNo;
}

}  // namespace surtitle
