// WhisperLive (collabora/WhisperLive), the messages of its server.
//   {"uid", "segments": [{"start": "1.250", "end": "3.000", "text", "completed", "speaker"}]}
//     The last completed segments, ten by default, then the one that is being recognised. That one
//     is recognised again with each message, and may have words of a later completed segment.
//     Times are seconds as text. If the field "completed" is missing, as of older servers, all
//     segments but the last are completed.
//   {"uid", "message": "SERVER_READY", "backend"}, {"uid", "message": "DISCONNECT"}
//   {"uid", "status": "WAIT", "WARNING" or "ERROR", "message"}
//   Messages with "language" or "translated_segments" have no words of the source.
#include <charconv>
#include <limits>
#include <utility>

#include "daemon/recognisers/formats.h"
#include "daemon/recognisers/growing_transcript.h"
#include "daemon/recognisers/json_recogniser.h"

namespace surtitle {
namespace {

namespace json = boost::json;

struct Segment {
  std::string text;  // begins with white space
  double end = 0;    // seconds
  bool completed = false;
};

class WhisperLive : public JsonRecogniser {
 public:
  WhisperLive(const RecogniserSettings& settings, MessageBuilder& builder)
      : JsonRecogniser(settings, builder, "whisper-live"), transcript_(builder) {}

 private:
  void on_message(JsonFields& message) override {
    if (message.optional_text("status") == "ERROR") {
      on_report(message, {"message"});
    } else if (message.has("segments")) {
      on_segments(message);
    } else if (message.is_text("message")) {
      end_session();
    } else if (!message.contains("uid")) {
      skip("the message must have the field uid");
    }
  }

  void on_end() override { end_session(); }

  void on_segments(JsonFields& message) {
    std::string completed;
    std::string unstable;
    double completed_until = completed_until_;
    MessageBuilder::Time unstable_until;
    const auto objects = message.objects("segments");
    for (const json::object* object : objects) {
      Segment segment = segment_of(message, *object);
      segment.completed =
          segment.completed || (!object->contains("completed") && object != objects.back());
      if (!segment.completed) {
        unstable = segment.text;
        unstable_until = segment.end;
      } else if (segment.end > completed_until) {
        completed += segment.text;
        completed_until = segment.end;
      }
    }
    if (message.error()) {
      return;
    }
    completed_until_ = completed_until;
    transcript_.update({completed, completed_until}, {unstable, unstable_until});
  }

  static Segment segment_of(JsonFields& message, const json::object& object) {
    JsonFields fields(object, "a segment");
    Segment segment;
    segment.text = " " + fields.optional_text("text").value_or("");
    segment.end = seconds_of(fields, "end");
    segment.completed = fields.optional_flag("completed").value_or(false);
    message.adopt_error(fields);
    return segment;
  }

  static double seconds_of(JsonFields& fields, std::string_view key) {
    if (!fields.is_text(key)) {
      return fields.number(key);
    }
    const std::string text = fields.text(key);
    double seconds = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
    if (error != std::errc() || end != text.data() + text.size()) {
      fields.fail(key, "a number of seconds");
    }
    return seconds;
  }

  void end_session() {
    transcript_.end_sentence();
    completed_until_ = kBefore;
  }

  static constexpr double kBefore = std::numeric_limits<double>::lowest();

  GrowingTranscript transcript_;
  double completed_until_ = kBefore;  // the end of the last completed segment that was sent
};

}  // namespace

std::unique_ptr<Recogniser> make_whisper_live(const RecogniserSettings& settings,
                                              MessageBuilder& builder) {
  return std::make_unique<WhisperLive>(settings, builder);
}

Match sniff_whisper_live(const json::object& message, int /*lines*/) {
  if (!message.contains("uid")) {
    return Match::kNo;
  }
  for (const std::string_view key : {"segments", "message", "language"}) {
    if (message.contains(key)) {
      return Match::kYes;
    }
  }
  return Match::kUndecided;
}

}  // namespace surtitle
