// Google Cloud Speech-to-Text, v1 and v2: StreamingRecognizeResponse as JSON. Fields are spelled as
// in protobuf's JSON ("isFinal") or as in the protobuf definition ("is_final").
//   {"results": [{"alternatives": [{"transcript", "confidence", "words"}], "stability", "isFinal",
//                 "resultEndTime": "1.500s", "channelTag", "languageCode"}]}
//     v2 has resultEndOffset; a duration may also be {"seconds", "nanos"} with the seconds as text
// A message has at most one final result. Interim results follow it, often a stable and an unstable
// one. Their joined transcripts, spaces included, are the whole text since the last final result.
// The best alternative is the first. Stability estimates what agreement measures, and 0 means that
// it was not given. It is therefore not used.
#include <algorithm>
#include <array>
#include <charconv>

#include "daemon/recognisers/first_channel.h"
#include "daemon/recognisers/formats.h"
#include "daemon/recognisers/json_recogniser.h"

namespace surtitle {
namespace {

namespace json = boost::json;

// Returns the spelling of a field that the message uses.
std::string_view spelling(const JsonFields& fields, std::string_view camel,
                          std::string_view snake) {
  return fields.has(camel) ? camel : snake;
}

// Parses a number that is followed by `unit`.
std::optional<double> number_of(std::string_view text, std::string_view unit) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const auto rest = text.substr(static_cast<std::size_t>(end - text.data()));
  return error == std::errc() && rest == unit ? std::optional(number) : std::nullopt;
}

// Responses without results report the state of the stream.
bool is_response(const JsonFields& message) {
  constexpr std::array kFields{"results",         "speechEventType",   "speech_event_type",
                               "speechEventTime", "speech_event_time", "speechEventOffset",
                               "totalBilledTime", "total_billed_time", "requestId",
                               "metadata"};
  return std::any_of(kFields.begin(), kFields.end(),
                     [&](std::string_view field) { return message.contains(field); });
}

class Google : public JsonRecogniser {
 public:
  Google(const RecogniserSettings& settings, MessageBuilder& builder)
      : JsonRecogniser(settings, builder, "google"), channel_(settings) {}

 private:
  void on_message(JsonFields& message) override {
    if (message.has("error")) {
      JsonFields error(message.object("error"), "error");
      return on_report(error, {"message"});
    }
    if (!is_response(message)) {
      return skip("the message must have the field results");
    }
    std::string interim;
    MessageBuilder::Time time;
    bool has_interim = false;
    for (const json::object* object : message.objects("results")) {
      JsonFields result(*object, "a result");
      const std::string transcript = transcript_of(result);
      const MessageBuilder::Time end = end_of(result);
      const bool is_final =
          result.optional_flag(spelling(result, "isFinal", "is_final")).value_or(false);
      const bool is_heard = channel_.accepts(std::to_string(channel_of(result)));
      message.adopt_error(result);
      if (message.error()) {
        return;
      }
      if (is_heard && is_final) {
        builder().final_text(transcript, end);
      } else if (is_heard) {
        has_interim = true;
        interim += transcript;
        time = end ? end : time;
      }
    }
    if (has_interim) {
      builder().hypothesis(interim, time);
    }
  }

  static std::string transcript_of(JsonFields& result) {
    const json::object* best = first_object(result, "alternatives");
    if (best == nullptr) {
      return {};
    }
    JsonFields alternative(*best, "an alternative");
    std::string transcript = alternative.optional_text("transcript").value_or("");
    result.adopt_error(alternative);
    return transcript;
  }

  static MessageBuilder::Time end_of(JsonFields& result) {
    for (const std::string_view key :
         {"resultEndTime", "result_end_time", "resultEndOffset", "result_end_offset"}) {
      if (result.has(key)) {
        return duration(result, key);
      }
    }
    return {};
  }

  static MessageBuilder::Time duration(JsonFields& result, std::string_view key) {
    MessageBuilder::Time time;
    if (result.is_text(key)) {
      time = number_of(result.text(key), "s");
    } else {
      JsonFields parts(result.object(key), key);
      const MessageBuilder::Time seconds = parts.is_text("seconds")
                                               ? number_of(parts.text("seconds"), "")
                                               : parts.optional_number("seconds");
      time = seconds.value_or(0) + parts.optional_number("nanos").value_or(0) / 1e9;
      result.adopt_error(parts);
    }
    if (!time) {
      result.fail(key, "a duration such as \"1.500s\"");
    }
    return time;
  }

  static std::int64_t channel_of(JsonFields& result) {
    return result.optional_whole_number(spelling(result, "channelTag", "channel_tag")).value_or(0);
  }

  FirstChannelFilter channel_;
};

}  // namespace

std::unique_ptr<Recogniser> make_google(const RecogniserSettings& settings,
                                        MessageBuilder& builder) {
  return std::make_unique<Google>(settings, builder);
}

Match sniff_google(const json::object& message, int /*lines*/) {
  const json::value* results = message.if_contains("results");
  const bool is_of_deepgram = results != nullptr && results->is_object();
  if (message.contains("message") || is_of_deepgram) {  // Speechmatics
    return Match::kNo;
  }
  for (const std::string_view key : {"results", "speechEventType", "speech_event_type",
                                     "speechEventTime", "speechEventOffset"}) {
    if (message.contains(key)) {
      return Match::kYes;
    }
  }
  return Match::kNo;
}

}  // namespace surtitle
