#include "daemon/protocol/protocol.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "daemon/base/json_writer.h"
#include "daemon/protocol/track_json.h"
#include "model/text/ascii.h"

namespace surtitle::protocol {
namespace {

struct CodeRow {
  ErrorCode code;
  std::string_view name;
  std::uint16_t close;
};

constexpr std::uint16_t kCloseBadRequest = 4400;
constexpr std::uint16_t kCloseForbidden = 4403;
constexpr std::uint16_t kCloseConflict = 4409;
constexpr std::uint16_t kCloseTooMany = 4429;
constexpr std::uint16_t kCloseGoingAway = 1001;
constexpr std::uint16_t kCloseBadPayload = 1007;
constexpr std::uint16_t kCloseTooBig = 1009;
constexpr std::uint16_t kCloseInternal = 1011;

constexpr std::array<CodeRow, kErrorCodes> kCodes{{
    {ErrorCode::kBadJson, "bad-json", kCloseBadRequest},
    {ErrorCode::kBadUtf8, "bad-utf8", kCloseBadPayload},
    {ErrorCode::kBadField, "bad-field", kCloseBadRequest},
    {ErrorCode::kUnknownType, "unknown-type", kCloseBadRequest},
    {ErrorCode::kOutOfOrder, "out-of-order", kCloseBadRequest},
    {ErrorCode::kBadSequence, "bad-sequence", kCloseBadRequest},
    {ErrorCode::kBadPolicy, "bad-policy", kCloseBadRequest},
    {ErrorCode::kUnknownModel, "unknown-model", kCloseBadRequest},
    {ErrorCode::kUnsupportedLanguages, "unsupported-languages", kCloseBadRequest},
    {ErrorCode::kChannelBusy, "channel-busy", kCloseConflict},
    {ErrorCode::kSentenceTooLong, "sentence-too-long", kCloseBadRequest},
    {ErrorCode::kNotConfigured, "not-configured", kCloseBadRequest},
    {ErrorCode::kMessageTooLarge, "message-too-large", kCloseTooBig},
    {ErrorCode::kTooManyStreams, "too-many-streams", kCloseTryAgainLater},
    {ErrorCode::kOverloaded, "overloaded", kCloseTryAgainLater},
    {ErrorCode::kDraining, "draining", kCloseGoingAway},
    {ErrorCode::kResumeUnavailable, "resume-unavailable", kCloseBadRequest},
    {ErrorCode::kTakenOver, "taken-over", kCloseConflict},
    {ErrorCode::kNotAllowed, "not-allowed", kCloseBadRequest},
    {ErrorCode::kSlow, "slow", kCloseTryAgainLater},
    {ErrorCode::kForbidden, "forbidden", kCloseForbidden},
    {ErrorCode::kRateLimited, "rate-limited", kCloseTooMany},
    {ErrorCode::kInternal, "internal", kCloseInternal},
}};

std::string live_scores(const Scores& scores, std::optional<int> sentences) {
  JsonWriter json;
  json.field("al", scores.al)
      .field("ap", scores.ap)
      .field("dal", scores.dal)
      .field("cw", scores.cw)
      .field("yaal", scores.yaal)
      .field("long_yaal", scores.long_yaal);
  if (sentences) {
    json.field("sentences", *sentences);
  }
  return json.finish();
}

std::string all_scores(const Scores& scores) {
  return JsonWriter()
      .field("al", scores.al)
      .field("laal", scores.laal)
      .field("ap", scores.ap)
      .field("dal", scores.dal)
      .field("cw", scores.cw)
      .field("atd", scores.atd)
      .field("yaal", scores.yaal)
      .field("long_yaal", scores.long_yaal)
      .finish();
}

std::string array_of(const std::vector<std::string>& texts) {
  return json_array(texts, json_string);
}

std::string to_json(const Glossary& glossary) {
  return json_array(glossary, [](const GlossaryEntry& entry) {
    return array_of(std::vector<std::string>{entry.source, entry.target});
  });
}

std::string to_json(const TrackRequest& track) {
  JsonWriter json;
  json.field("name", track.name)
      .optional_field("target", track.target)
      .optional_field("model", track.model)
      .optional_field("policy", track.policy);
  if (track.glossary) {
    json.raw_field("glossary", to_json(*track.glossary));
  }
  return json.finish();
}

std::string thousandths(const std::vector<float>& numbers) {
  constexpr double kUnit = 1000;
  return json_array(numbers, [](float number) {
    return json_number(std::round(static_cast<double>(number) * kUnit) / kUnit);
  });
}

std::string array_of(const std::vector<AttentionLayer>& layers) {
  return json_array(layers, [](const AttentionLayer& layer) {
    return JsonWriter()
        .raw_field("weights", thousandths(layer.weights))
        .raw_field("positions", thousandths(layer.positions))
        .finish();
  });
}

std::string to_json(const Resume& resume) {
  return JsonWriter()
      .field("stream", resume.stream)
      .field("key", resume.key)
      .field("seq", resume.seq)
      .field("event", resume.event)
      .finish();
}

std::string to_json(const Resumption& resume) {
  return JsonWriter()
      .field("key", resume.key)
      .field("seconds", resume.seconds)
      .optional_field("seq", resume.seq)
      .finish();
}

std::string to_json(const Backlog& backlog) {
  return JsonWriter()
      .field("stream", backlog.stream)
      .field("event", backlog.event)
      .field("messages", backlog.messages)
      .finish();
}

JsonWriter& event_field(JsonWriter& json, std::int64_t event) {
  return event == 0 ? json : json.field("event", event);
}

// Messages of the first track have no field `track`.
JsonWriter& track_field(JsonWriter& json, const std::string& track) {
  return track.empty() ? json : json.field("track", track);
}

struct Serialise {
  std::string operator()(const Start& start) const {
    JsonWriter json;
    json.field("type", "start").field("source", start.source).field("target", start.target);
    json.optional_field("model", start.model)
        .optional_field("policy", start.policy)
        .optional_field("channel", start.channel);
    if (start.resume) {
      json.raw_field("resume", to_json(*start.resume));
    }
    if (start.agreement) {
      json.field("agreement", *start.agreement);
    }
    if (start.source_form != TextForm::kWritten) {
      json.field("source_form", surtitle::name(start.source_form));
    }
    if (!start.tracks.empty()) {
      json.raw_field("tracks", json_array(start.tracks, [](const TrackRequest& track) {
                       return to_json(track);
                     }));
    }
    if (start.attention) {
      json.field("attention", true);
    }
    if (start.echo) {
      json.field("echo", true);
    }
    json.optional_field("silence", start.silence)
        .optional_field("target_prefix", start.target_prefix);
    if (!start.glossary.empty()) {
      json.raw_field("glossary", to_json(start.glossary));
    }
    return add_heading(json, start.heading).finish();
  }
  std::string operator()(const Configure& configure) const {
    JsonWriter json;
    json.field("type", "configure")
        .optional_field("track", configure.track)
        .optional_field("model", configure.model)
        .optional_field("policy", configure.policy);
    if (configure.source_form) {
      json.field("source_form", surtitle::name(*configure.source_form));
    }
    if (configure.glossary) {
      json.raw_field("glossary", to_json(*configure.glossary));
    }
    return json.optional_field("title", configure.title)
        .optional_field("speaker", configure.speaker)
        .finish();
  }
  std::string operator()(const Source& source) const {
    return JsonWriter()
        .field("type", "source")
        .field("seq", source.seq)
        .field("text", source.text)
        .optional_field("time", source.time)
        .finish();
  }
  std::string operator()(const Hypothesis& hypothesis) const {
    JsonWriter json;
    json.field("type", "hypothesis").field("text", hypothesis.text);
    json.field("final", hypothesis.final).optional_field("time", hypothesis.time);
    if (!hypothesis.end_sentence) {
      json.field("end_sentence", false);
    }
    json.optional_field("seq", hypothesis.seq);
    return json.finish();
  }
  std::string operator()(const Tail& tail) const {
    return JsonWriter().field("type", "tail").field("text", tail.text).finish();
  }
  std::string operator()(const EndSentence& end) const {
    return JsonWriter().field("type", "end_sentence").optional_field("seq", end.seq).finish();
  }
  std::string operator()(const Finish& /*unused*/) const {
    return JsonWriter().field("type", "finish").finish();
  }

  std::string operator()(const Ready& ready) const {
    const Limits& limits = ready.limits;
    const std::string limits_json = JsonWriter()
                                        .field("message_bytes", limits.message_bytes)
                                        .field("sentence_words", limits.sentence_words)
                                        .field("sentence_tokens", limits.sentence_tokens)
                                        .field("queued_words", limits.queued_words)
                                        .field("outgoing_messages", limits.outgoing_messages)
                                        .field("outgoing_bytes", limits.outgoing_bytes)
                                        .field("silence_seconds", limits.silence_seconds)
                                        .field("idle_seconds", limits.idle_seconds)
                                        .finish();
    JsonWriter json;
    json.field("type", "ready")
        .optional_field("stream", ready.stream)
        .optional_field("channel", ready.channel)
        .optional_field("model", ready.model)
        .optional_field("policy", ready.policy)
        .raw_field("warnings", array_of(ready.warnings))
        .raw_field("limits", limits_json)
        .raw_field("tracks", tracks_json(ready.tracks));
    if (ready.resume) {
      json.raw_field("resume", to_json(*ready.resume));
    }
    json.optional_field("after", ready.after);
    if (ready.backlog) {
      json.raw_field("backlog", to_json(*ready.backlog));
    }
    return add_heading(json, ready.heading)
        .optional_field("interrupted", ready.interrupted)
        .finish();
  }
  std::string operator()(const Ack& ack) const {
    return JsonWriter().field("type", "ack").field("seq", ack.seq).finish();
  }
  std::string operator()(const Write& write) const {
    JsonWriter json;
    json.field("type", "write");
    track_field(json, write.track)
        .field("sentence", write.sentence)
        .field("index", write.index)
        .field("text", write.text)
        .field("read", write.read)
        .field("words", write.words)
        .field("time", write.time)
        .optional_field("source_time", write.source_time);
    return event_field(json, write.event).finish();
  }
  std::string operator()(const Draft& draft) const {
    JsonWriter json;
    json.field("type", "draft");
    return track_field(json, draft.track)
        .field("sentence", draft.sentence)
        .field("text", draft.text)
        .finish();
  }
  std::string operator()(const Attention& attention) const {
    JsonWriter json;
    json.field("type", "attention");
    return track_field(json, attention.track)
        .field("sentence", attention.sentence)
        .field("index", attention.index)
        .field("target", attention.target)
        .field("read", attention.read)
        .field("source_from", attention.source_from)
        .raw_field("source", array_of(attention.source))
        .raw_field("layers", array_of(attention.layers))
        .finish();
  }
  std::string operator()(const Sentence& sentence) const {
    const std::string metrics = JsonWriter()
                                    .raw_field("words", all_scores(sentence.words))
                                    .raw_field("tokens", all_scores(sentence.tokens))
                                    .finish();
    JsonWriter json;
    json.field("type", "sentence");
    track_field(json, sentence.track)
        .field("sentence", sentence.sentence)
        .field("source", sentence.source)
        .field("target", sentence.target)
        .raw_field("metrics", metrics);
    if (sentence.untranslated > 0) {
      json.field("untranslated", sentence.untranslated);
    }
    return event_field(json, sentence.event).finish();
  }
  std::string operator()(const Metrics& metrics) const {
    JsonWriter json;
    json.field("type", "metrics");
    return track_field(json, metrics.track)
        .field("sentence", metrics.sentence)
        .field("al", metrics.scores.al)
        .field("ap", metrics.scores.ap)
        .field("dal", metrics.scores.dal)
        .field("cw", metrics.scores.cw)
        .field("yaal", metrics.scores.yaal)
        .field("long_yaal", metrics.scores.long_yaal)
        .field("unit", "words")
        .raw_field("stream", live_scores(metrics.stream, metrics.sentences))
        .finish();
  }
  std::string operator()(const SourceMessage& words) const {
    JsonWriter json;
    json.field("type", "source")
        .field("sentence", words.sentence)
        .field("text", words.text)
        .optional_field("time", words.time)
        .field("taken", words.taken);
    return event_field(json, words.event).finish();
  }
  std::string operator()(const PolicyChange& change) const {
    JsonWriter json;
    json.field("type", "policy");
    track_field(json, change.track)
        .field("sentence", change.sentence)
        .field("model", change.model)
        .field("policy", change.policy)
        .field("by_lag", change.by_lag)
        .raw_field("warnings", json_array(change.warnings, json_string));
    return event_field(json, change.event).finish();
  }
  std::string operator()(const HeadingChange& change) const {
    JsonWriter json;
    json.field("type", "heading")
        .field("title", change.heading.title)
        .field("speaker", change.heading.speaker);
    return event_field(json, change.event).finish();
  }
  std::string operator()(const Viewers& viewers) const {
    return JsonWriter().field("type", "viewers").field("viewers", viewers.viewers).finish();
  }
  std::string operator()(const CatchUp& catch_up) const {
    return JsonWriter().field("type", "catch_up").field("skipped", catch_up.skipped).finish();
  }
  std::string operator()(const Revision& revision) const {
    JsonWriter json;
    json.field("type", "revision")
        .field("sentence", revision.sentence)
        .field("committed", revision.committed)
        .field("heard", revision.heard);
    return event_field(json, revision.event).finish();
  }
  std::string operator()(const State& state) const {
    JsonWriter json;
    json.field("type", "state")
        .field("sender", state.sender)
        .optional_field("model", state.model)
        .optional_field("policy", state.policy)
        .optional_field("stream", state.stream)
        .raw_field("tracks", tracks_json(state.tracks));
    return add_heading(json, state.heading)
        .optional_field("interrupted", state.interrupted)
        .finish();
  }
  std::string operator()(const Interruption& interruption) const {
    return JsonWriter()
        .field("type", "interruption")
        .optional_field("interrupted", interruption.interrupted)
        .finish();
  }
  std::string operator()(const Error& error) const {
    JsonWriter json;
    json.field("type", "error").field("code", name(error.code)).field("message", error.message);
    if (error.retry_seconds) {
      json.field("retry_seconds", *error.retry_seconds);
    }
    return json.finish();
  }
  std::string operator()(const Bye& bye) const {
    return JsonWriter().field("type", "bye").field("reason", name(bye.reason)).finish();
  }
};

}  // namespace

std::string_view name(ErrorCode code) { return kCodes.at(static_cast<std::size_t>(code)).name; }

std::uint16_t close_code(ErrorCode code) { return kCodes.at(static_cast<std::size_t>(code)).close; }

bool is_notice(ErrorCode code) {
  return code == ErrorCode::kSentenceTooLong || code == ErrorCode::kNotConfigured;
}

std::optional<ErrorCode> error_code_by_name(std::string_view name) {
  const auto* row = std::find_if(kCodes.begin(), kCodes.end(),
                                 [&](const CodeRow& candidate) { return candidate.name == name; });
  return row == kCodes.end() ? std::nullopt : std::optional(row->code);
}

std::string_view name(ByeReason reason) {
  constexpr std::array<std::string_view, 5> kNames{"finished", "draining", "sender-left", "error",
                                                   "slow"};
  return kNames.at(static_cast<std::size_t>(reason));
}

std::int64_t* event_of(ServerMessage& message) {
  return std::visit(
      [](auto& one) -> std::int64_t* {
        if constexpr (requires { one.event; }) {
          return &one.event;
        } else {
          return nullptr;
        }
      },
      message);
}

std::int64_t event_of(const ServerMessage& message) {
  return std::visit(
      [](const auto& one) -> std::int64_t {
        if constexpr (requires { one.event; }) {
          return one.event;
        } else {
          return 0;
        }
      },
      message);
}

std::string to_json(const ClientMessage& message) { return std::visit(Serialise(), message); }
std::string to_json(const ServerMessage& message) { return std::visit(Serialise(), message); }

bool is_channel_name(std::string_view name) {
  constexpr std::size_t kMaxLength = 64;
  return !name.empty() && name.size() <= kMaxLength && name != "." && name != ".." &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return is_letter(c) || is_digit(c) || c == '.' || c == '_' || c == '-';
         });
}

}  // namespace surtitle::protocol
