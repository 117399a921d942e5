// Speechmatics' real-time API, v2. "message" is the name of a message.
//   {"message": "RecognitionStarted", "language_pack_info": {"word_delimiter": " "}}
//   {"message": "AddTranscript", "metadata": {"start_time", "end_time", "transcript"},
//    "results": [{"type", "start_time", "end_time", "attaches_to", "is_eos",
//                 "alternatives": [{"content", "confidence", "speaker"}]}]}
//     final; continues the AddTranscript before it, often within a sentence. A result of the type
//     "punctuation" with attaches_to "previous" has no space before it and may be the first one.
//   {"message": "AddPartialTranscript", ...}
//     as above; the text since the last AddTranscript
//   {"message": "EndOfUtterance"}                    a silence
//   {"message": "EndOfTranscript"}                   the last message
//   {"message": "Error", "type", "reason"}
//   All others have no words.
#include <utility>

#include "daemon/recognisers/first_channel.h"
#include "daemon/recognisers/formats.h"
#include "daemon/recognisers/growing_transcript.h"
#include "daemon/recognisers/json_recogniser.h"

namespace surtitle {
namespace {

namespace json = boost::json;

class Speechmatics : public JsonRecogniser {
 public:
  Speechmatics(const RecogniserSettings& settings, MessageBuilder& builder)
      : JsonRecogniser(settings, builder, "speechmatics"),
        channel_(settings),
        transcript_(builder) {}

 private:
  void on_message(JsonFields& message) override {
    const std::string name = message.text("message");
    if (name == "AddTranscript" || name == "AddPartialTranscript") {
      on_transcript(message, name == "AddTranscript");
    } else if (name == "RecognitionStarted") {
      on_started(message);
    } else if (name == "EndOfUtterance" || name == "EndOfTranscript") {
      if (is_heard(message)) {
        transcript_.end_sentence();
      }
    } else if (name == "Error") {
      on_report(message, {"reason", "type"});
    }
  }

  void on_end() override { transcript_.end_sentence(); }

  void on_started(JsonFields& message) {
    transcript_.end_sentence();
    if (message.has("language_pack_info")) {
      JsonFields info(message.object("language_pack_info"), "language_pack_info");
      delimiter_ = info.optional_text("word_delimiter").value_or(" ");
      message.adopt_error(info);
    }
  }

  void on_transcript(JsonFields& message, bool final) {
    const MessageBuilder::Time time = end_of(message);
    const std::string text = text_of(message);
    if (message.error() || !is_heard(message)) {
      return;
    }
    if (final) {
      transcript_.update({text, time}, {});
    } else {
      transcript_.update({}, {text, time});
    }
  }

  bool is_heard(JsonFields& message) {
    return channel_.accepts(message.optional_text("channel").value_or("")) && !message.error();
  }

  static MessageBuilder::Time end_of(JsonFields& message) {
    if (!message.has("metadata")) {
      return {};
    }
    JsonFields metadata(message.object("metadata"), "metadata");
    const MessageBuilder::Time end = metadata.optional_number("end_time");
    message.adopt_error(metadata);
    return end;
  }

  // Returns the text with a delimiter before each word.
  std::string text_of(JsonFields& message) const {
    std::string text;
    bool joined = false;  // the last result attaches to the next one
    for (const json::object* object : message.objects("results")) {
      JsonFields result(*object, "a result");
      const std::string attached = result.optional_text("attaches_to").value_or("none");
      const bool joins = joined || attached == "previous" || attached == "both";
      if (const json::object* best = first_object(result, "alternatives")) {
        JsonFields alternative(*best, "an alternative");
        text += (joins ? "" : delimiter_) + alternative.optional_text("content").value_or("");
        joined = attached == "next" || attached == "both";
        result.adopt_error(alternative);
      }
      message.adopt_error(result);
    }
    return text;
  }

  FirstChannelFilter channel_;
  std::string delimiter_ = " ";
  GrowingTranscript transcript_;
};

}  // namespace

std::unique_ptr<Recogniser> make_speechmatics(const RecogniserSettings& settings,
                                              MessageBuilder& builder) {
  return std::make_unique<Speechmatics>(settings, builder);
}

Match sniff_speechmatics(const json::object& message, int /*lines*/) {
  const std::string_view name = text_field(message, "message");
  for (const std::string_view known :
       {"RecognitionStarted", "AddTranscript", "AddPartialTranscript", "AudioAdded"}) {
    if (name == known) {
      return Match::kYes;
    }
  }
  return Match::kNo;
}

}  // namespace surtitle
