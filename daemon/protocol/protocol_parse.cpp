#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <cmath>
#include <limits>
#include <utility>

#include "daemon/base/json_fields.h"
#include "daemon/base/json_parse.h"
#include "daemon/base/json_repair.h"
#include "daemon/base/text.h"
#include "daemon/protocol/protocol.h"
#include "daemon/protocol/track_json.h"

namespace surtitle::protocol {
namespace {

namespace json = boost::json;
using Fields = JsonFields;

// --- client messages ---

std::optional<TextForm> read_source_form(Fields& fields) {
  const std::optional<std::string> given = fields.optional_text("source_form");
  const std::optional<TextForm> form = given ? text_form_by_name(*given) : std::nullopt;
  if (given && !form) {
    fields.fail("source_form", "one of: " + std::string(kTextForms));
  }
  return form;
}

// Returns nullopt if there is no glossary. Tests the number of entries first.
std::optional<Glossary> read_glossary(Fields& fields) {
  constexpr std::string_view kKey = "glossary";
  if (!fields.has(kKey)) {
    return std::nullopt;
  }
  const std::vector<std::vector<std::string>> pairs = fields.text_lists(kKey);
  if (pairs.size() > kMaxGlossaryEntries) {
    fields.fail(kKey, "a list of at most " + std::to_string(kMaxGlossaryEntries) + " entries");
    return std::nullopt;
  }
  Glossary glossary;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (pairs[i].size() != 2) {
      fields.fail(kKey, "a list of [term, translation]; entry " + std::to_string(i + 1) +
                            " has another length");
      return std::nullopt;
    }
    GlossaryEntry entry{pairs[i][0], pairs[i][1]};
    if (const std::string problem = problem_of(entry); !problem.empty()) {
      fields.fail(kKey,
                  "a list of [term, translation]; entry " + std::to_string(i + 1) + " " + problem);
      return std::nullopt;
    }
    glossary.push_back(std::move(entry));
  }
  return glossary;
}

std::vector<TrackRequest> read_track_requests(Fields& fields) {
  std::vector<TrackRequest> tracks;
  for (const json::object* item : fields.objects("tracks")) {
    Fields one(*item, "start's tracks");
    TrackRequest track;
    track.name = one.text("name");
    track.target = one.optional_text("target");
    track.model = one.optional_text("model");
    track.policy = one.optional_text("policy");
    track.glossary = read_glossary(one);
    const bool taken = std::any_of(tracks.begin(), tracks.end(), [&](const TrackRequest& other) {
      return other.name == track.name;
    });
    const bool is_valid = is_channel_name(track.name) && !track_from_query(track.name).empty();
    if (!is_valid || taken) {
      one.fail("name",
               "1 to 64 characters of A-Z a-z 0-9 . _ -, unique, and not 'first', which names the "
               "first track");
    }
    fields.adopt_error(one);
    tracks.push_back(std::move(track));
  }
  if (tracks.size() > kMaxTracks) {
    fields.fail("tracks", "a list of at most " + std::to_string(kMaxTracks));
  }
  return tracks;
}

std::optional<int> read_agreement(Fields& fields) {
  constexpr std::string_view kKey = "agreement";
  if (!fields.has(kKey)) {
    return std::nullopt;
  }
  const int agreement = fields.small_number(kKey);
  if (agreement < 1 || agreement > kMaxAgreement) {
    fields.fail(kKey, "a whole number from 1 to " + std::to_string(kMaxAgreement));
  }
  return agreement;
}

std::optional<double> read_silence(Fields& fields) {
  const std::optional<double> seconds = fields.optional_number("silence");
  if (seconds && (*seconds < 0 || *seconds > kMaxSilence)) {
    fields.fail("silence", "a number of seconds from 0 to " + std::to_string(kMaxSilence));
  }
  return seconds;
}

std::int64_t read_count(Fields& fields, std::string_view key) {
  const std::int64_t count = fields.optional_whole_number(key).value_or(0);
  if (count < 0) {
    fields.fail(key, "a whole number, 0 or more");
  }
  return count;
}

std::optional<Resume> read_resume(Fields& fields) {
  if (!fields.has("resume")) {
    return std::nullopt;
  }
  Fields one(fields.object("resume"), "start's resume");
  Resume resume;
  resume.stream = one.text("stream");
  resume.key = one.text("key");
  resume.seq = read_count(one, "seq");
  resume.event = read_count(one, "event");
  fields.adopt_error(one);
  return resume;
}

std::optional<std::int64_t> read_optional_seq(Fields& fields) {
  return fields.optional_whole_number("seq");
}

ClientMessage read_start(Fields& fields) {
  Start start;
  start.source = fields.text("source");
  start.target = fields.text("target");
  start.model = fields.optional_text("model");
  start.policy = fields.optional_text("policy");
  start.channel = fields.optional_text("channel");
  start.resume = read_resume(fields);
  start.agreement = read_agreement(fields);
  if (start.channel && !is_channel_name(*start.channel)) {
    fields.fail("channel", kChannelNameRule);
  }
  start.source_form = read_source_form(fields).value_or(TextForm::kWritten);
  start.tracks = read_track_requests(fields);
  start.attention = fields.optional_flag("attention").value_or(false);
  start.echo = fields.optional_flag("echo").value_or(false);
  start.silence = read_silence(fields);
  start.target_prefix = fields.optional_text("target_prefix");
  start.heading = read_heading(fields);
  start.glossary = read_glossary(fields).value_or(Glossary());
  return start;
}

ClientMessage read_configure(Fields& fields) {
  Configure configure;
  configure.track = fields.optional_text("track");
  configure.model = fields.optional_text("model");
  configure.policy = fields.optional_text("policy");
  configure.source_form = read_source_form(fields);
  configure.title = fields.optional_text("title");
  configure.speaker = fields.optional_text("speaker");
  configure.glossary = read_glossary(fields);
  return configure;
}

ClientMessage read_source(Fields& fields) {
  Source source;
  source.seq = fields.whole_number("seq");
  source.text = fields.text("text");
  source.time = fields.optional_number("time");
  return source;
}

ClientMessage read_hypothesis(Fields& fields) {
  Hypothesis hypothesis;
  hypothesis.text = fields.text("text");
  hypothesis.final = fields.flag("final");
  hypothesis.time = fields.optional_number("time");
  hypothesis.end_sentence = fields.optional_flag("end_sentence").value_or(true);
  hypothesis.seq = read_optional_seq(fields);
  return hypothesis;
}

ClientMessage read_tail(Fields& fields) { return Tail{fields.text("text")}; }
ClientMessage read_end_sentence(Fields& fields) { return EndSentence{read_optional_seq(fields)}; }
ClientMessage read_finish(Fields& /*unused*/) { return Finish(); }

// --- server messages ---

// Returns the name of the message's track, "" for the first track.
std::string read_track(Fields& fields) { return fields.optional_text("track").value_or(""); }

ServerMessage read_ready(Fields& fields) {
  Ready ready;
  ready.stream = fields.optional_text("stream");
  ready.channel = fields.optional_text("channel");
  ready.model = fields.optional_text("model");
  ready.policy = fields.optional_text("policy");
  ready.warnings = fields.texts("warnings");
  Fields limits(fields.object("limits"), "ready's limits");
  ready.limits.message_bytes = limits.small_number("message_bytes");
  ready.limits.sentence_words = limits.small_number("sentence_words");
  ready.limits.sentence_tokens = limits.small_number("sentence_tokens");
  ready.limits.queued_words = limits.small_number("queued_words");
  ready.limits.outgoing_messages = limits.small_number("outgoing_messages");
  ready.limits.outgoing_bytes = limits.small_number("outgoing_bytes");
  ready.limits.silence_seconds = limits.number("silence_seconds");
  ready.limits.idle_seconds = limits.number("idle_seconds");
  fields.adopt_error(limits);
  ready.tracks = read_tracks(fields);
  if (fields.has("resume")) {
    Fields resume(fields.object("resume"), "ready's resume");
    ready.resume =
        Resumption{resume.text("key"), resume.number("seconds"), read_optional_seq(resume)};
    fields.adopt_error(resume);
  }
  if (fields.has("after")) {
    ready.after = read_count(fields, "after");
  }
  if (fields.has("backlog")) {
    Fields backlog(fields.object("backlog"), "ready's backlog");
    ready.backlog = Backlog{backlog.text("stream"), backlog.whole_number("event"),
                            backlog.small_number("messages")};
    fields.adopt_error(backlog);
  }
  ready.heading = read_heading(fields);
  ready.interrupted = fields.optional_number("interrupted");
  return ready;
}

ServerMessage read_ack(Fields& fields) { return Ack{fields.whole_number("seq")}; }

ServerMessage read_write(Fields& fields) {
  Write write;
  write.sentence = fields.small_number("sentence");
  write.index = fields.small_number("index");
  write.text = fields.text("text");
  write.read = fields.small_number("read");
  write.words = fields.small_number("words");
  write.time = fields.number("time");
  write.track = read_track(fields);
  write.source_time = fields.optional_number("source_time");
  write.event = read_count(fields, "event");
  return write;
}

ServerMessage read_draft(Fields& fields) {
  return Draft{fields.small_number("sentence"), fields.text("text"), read_track(fields)};
}

std::vector<float> read_floats(Fields& fields, std::string_view key) {
  std::vector<float> floats;
  for (const double number : fields.numbers(key)) {
    if (std::abs(number) > std::numeric_limits<float>::max()) {
      fields.fail(key, "a list of numbers up to 3.4e38");
      return {};
    }
    floats.push_back(static_cast<float>(number));
  }
  return floats;
}

ServerMessage read_attention(Fields& fields) {
  Attention attention;
  attention.sentence = fields.small_number("sentence");
  attention.index = fields.small_number("index");
  attention.target = fields.text("target");
  attention.read = fields.small_number("read");
  attention.source_from = fields.small_number("source_from");
  attention.source = fields.texts("source");
  for (const json::object* item : fields.objects("layers")) {
    Fields layer(*item, "attention's layers");
    attention.layers.push_back({read_floats(layer, "weights"), read_floats(layer, "positions")});
    fields.adopt_error(layer);
  }
  attention.track = read_track(fields);
  return attention;
}

Scores read_scores(Fields& fields) {
  Scores scores;
  scores.al = fields.optional_number("al");
  scores.laal = fields.optional_number("laal");
  scores.ap = fields.optional_number("ap");
  scores.dal = fields.optional_number("dal");
  scores.cw = fields.optional_number("cw");
  scores.atd = fields.optional_number("atd");
  scores.yaal = fields.optional_number("yaal");
  scores.long_yaal = fields.optional_number("long_yaal");
  return scores;
}

Scores read_scores(Fields& owner, std::string_view key) {
  Fields fields(owner.object(key), key);
  const Scores scores = read_scores(fields);
  owner.adopt_error(fields);
  return scores;
}

ServerMessage read_sentence(Fields& fields) {
  Sentence sentence;
  sentence.sentence = fields.small_number("sentence");
  sentence.source = fields.text("source");
  sentence.target = fields.text("target");
  Fields metrics(fields.object("metrics"), "sentence's metrics");
  sentence.words = read_scores(metrics, "words");
  sentence.tokens = read_scores(metrics, "tokens");
  fields.adopt_error(metrics);
  sentence.track = read_track(fields);
  sentence.event = read_count(fields, "event");
  sentence.untranslated = fields.has("untranslated") ? fields.small_number("untranslated") : 0;
  if (sentence.untranslated < 0) {
    fields.fail("untranslated", "a whole number, 0 or more");
  }
  return sentence;
}

ServerMessage read_metrics(Fields& fields) {
  Metrics metrics;
  metrics.sentence = fields.small_number("sentence");
  metrics.scores = read_scores(fields);
  Fields stream(fields.object("stream"), "metrics' stream");
  metrics.stream = read_scores(stream);
  metrics.sentences = stream.small_number("sentences");
  fields.adopt_error(stream);
  metrics.track = read_track(fields);
  return metrics;
}

ServerMessage read_source_words(Fields& fields) {
  SourceMessage words;
  words.sentence = fields.small_number("sentence");
  words.text = fields.text("text");
  words.time = fields.optional_number("time");
  words.taken = fields.number("taken");
  words.event = read_count(fields, "event");
  return words;
}

ServerMessage read_policy_change(Fields& fields) {
  PolicyChange change;
  change.sentence = fields.small_number("sentence");
  change.model = fields.text("model");
  change.policy = fields.text("policy");
  change.by_lag = fields.flag("by_lag");
  change.track = read_track(fields);
  change.warnings = fields.texts("warnings");
  change.event = read_count(fields, "event");
  return change;
}

ServerMessage read_heading_change(Fields& fields) {
  return HeadingChange{read_heading(fields), read_count(fields, "event")};
}

ServerMessage read_viewers(Fields& fields) { return Viewers{fields.small_number("viewers")}; }
ServerMessage read_catch_up(Fields& fields) { return CatchUp{fields.small_number("skipped")}; }

ServerMessage read_revision(Fields& fields) {
  Revision revision;
  revision.sentence = fields.small_number("sentence");
  revision.committed = fields.text("committed");
  revision.heard = fields.text("heard");
  revision.event = read_count(fields, "event");
  return revision;
}

ServerMessage read_state(Fields& fields) {
  State state;
  state.sender = fields.flag("sender");
  state.model = fields.optional_text("model");
  state.policy = fields.optional_text("policy");
  state.stream = fields.optional_text("stream");
  state.tracks = read_tracks(fields);
  state.heading = read_heading(fields);
  state.interrupted = fields.optional_number("interrupted");
  return state;
}

ServerMessage read_interruption(Fields& fields) {
  return Interruption{fields.optional_number("interrupted")};
}

ServerMessage read_error(Fields& fields) {
  Error error;
  const std::optional<ErrorCode> code = error_code_by_name(fields.text("code"));
  if (!code) {
    fields.fail("code", "a known error code");
  }
  error.code = code.value_or(ErrorCode::kInternal);
  error.message = fields.text("message");
  if (fields.has("retry_seconds")) {
    error.retry_seconds = fields.small_number("retry_seconds");
  }
  return error;
}

ServerMessage read_bye(Fields& fields) {
  const std::string reason = fields.text("reason");
  for (const ByeReason candidate : kByeReasons) {
    if (name(candidate) == reason) {
      return Bye{candidate};
    }
  }
  fields.fail("reason", "finished, draining, sender-left, error or slow");
  return Bye();
}

// --- by type ---

template <class Message>
struct Row {
  std::string_view type;
  Message (*read)(Fields&);
};

constexpr std::array<Row<ClientMessage>, 7> kClientRows{{
    {"start", read_start},
    {"configure", read_configure},
    {"source", read_source},
    {"hypothesis", read_hypothesis},
    {"tail", read_tail},
    {"end_sentence", read_end_sentence},
    {"finish", read_finish},
}};

constexpr std::array<Row<ServerMessage>, 17> kServerRows{{
    {"ready", read_ready},
    {"ack", read_ack},
    {"write", read_write},
    {"draft", read_draft},
    {"attention", read_attention},
    {"sentence", read_sentence},
    {"metrics", read_metrics},
    {"source", read_source_words},
    {"policy", read_policy_change},
    {"heading", read_heading_change},
    {"viewers", read_viewers},
    {"catch_up", read_catch_up},
    {"revision", read_revision},
    {"state", read_state},
    {"interruption", read_interruption},
    {"error", read_error},
    {"bye", read_bye},
}};

template <class Message, std::size_t kRows>
std::variant<Message, Error> parse(std::string_view text,
                                   const std::array<Row<Message>, kRows>& rows) {
  boost::system::error_code failure;
  json::value document = parse_json(text, failure);
  if (failure && (text.find("NaN") != text.npos || text.find("Infinity") != text.npos)) {
    failure.clear();
    document = parse_json(repair_json(text), failure);  // as Python writes them; they become null
  }
  if (failure) {
    return Error{ErrorCode::kBadJson, "the message is not JSON: " + failure.message()};
  }
  if (!document.is_object()) {
    return Error{ErrorCode::kBadJson, "the message is not a JSON object"};
  }
  Fields head(document.get_object(), "the message");
  const std::string type = head.text("type");
  if (head.error()) {
    return Error{ErrorCode::kBadField, *head.error()};
  }
  std::string known;
  for (const Row<Message>& row : rows) {
    if (row.type == type) {
      Fields fields(document.get_object(), row.type);
      Message message = row.read(fields);
      if (fields.error()) {
        return Error{ErrorCode::kBadField, *fields.error()};
      }
      return message;
    }
    known += (known.empty() ? "" : ", ") + std::string(row.type);
  }
  return Error{ErrorCode::kUnknownType,
               "message type " + in_quotes(type) + " is unknown; allowed: " + known};
}

}  // namespace

std::variant<ClientMessage, Error> parse_client_message(std::string_view text) {
  return parse(text, kClientRows);
}

std::variant<ServerMessage, Error> parse_server_message(std::string_view text) {
  return parse(text, kServerRows);
}

}  // namespace surtitle::protocol
