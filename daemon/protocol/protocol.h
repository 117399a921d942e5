// The wire protocol surtitle.v1: one struct per message, both ways.
//
// Every message is one JSON object in one WebSocket text frame, its "type" first. Unknown fields
// are ignored, unknown types are an error. daemon/protocol/surtitle.v1.asyncapi.yaml is the same in
// schemas; the tests hold real traffic against it. The parsers take any bytes and never throw; a
// failure is an Error whose message is one sentence: what, where, what is allowed.
//
// Thread-safety: plain values and pure functions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "model/text/text_form.h"

namespace surtitle::protocol {

inline constexpr std::size_t kMaxTracks = 16;  // of one stream, beside the first
inline constexpr std::string_view kSubprotocol = "surtitle.v1";
inline constexpr std::uint16_t kCloseNormal = 1000;  // of the WebSocket, after bye finished
// Without bye: whoever comes in the place of this daemon goes on with the stream.
inline constexpr std::uint16_t kCloseServiceRestart = 1012;

// --- errors ---

enum class ErrorCode {
  kBadJson,
  kBadUtf8,
  kBadField,
  kUnknownType,
  kOutOfOrder,   // source before start, a second start, anything after finish
  kBadSequence,  // seq does not grow
  kBadPolicy,
  kUnknownModel,
  kUnsupportedLanguages,
  kChannelBusy,
  kSentenceTooLong,  // a notice: the stream goes on
  kNotConfigured,    // likewise: what configure asked for cannot be, all stays as it was
  kMessageTooLarge,
  kTooManyStreams,
  kOverloaded,  // more could not be translated in time
  kDraining,
  kResumeUnavailable,
  kTakenOver,  // the stream goes on on another connection
  kNotAllowed,
  kSlow,
  kForbidden,    // the token is not for this channel
  kRateLimited,  // more than one address or token may
  kInternal,
};
inline constexpr int kErrorCodes = static_cast<int>(ErrorCode::kInternal) + 1;

std::string_view name(ErrorCode code);                               // "bad-json"
std::optional<ErrorCode> error_code_by_name(std::string_view name);  // the inverse
std::uint16_t close_code(ErrorCode code);                            // of the WebSocket, 4400
bool is_notice(ErrorCode code);                                      // the stream goes on after it

struct Error {
  ErrorCode code = ErrorCode::kInternal;
  std::string message;                    // one sentence
  std::optional<int> retry_seconds = {};  // when to try again; for kOverloaded

  bool operator==(const Error&) const = default;
};

// --- client to server ---

// One more translation of the same source, beside the one that Start itself names.
struct TrackRequest {
  std::string name;                   // as is_channel_name(); another for each
  std::optional<std::string> target;  // where absent, Start's
  std::optional<std::string> model;
  std::optional<std::string> policy;

  bool operator==(const TrackRequest&) const = default;
};

// Hypotheses in a row that must agree on a word before it counts: 1 to kMaxAgreement.
inline constexpr int kDefaultAgreement = 2;
inline constexpr int kMaxAgreement = 10;

// A stream that was begun on another connection, to go on on this one.
struct Resume {
  std::string stream;      // as in Ready
  std::string key;         // likewise
  std::int64_t seq = 0;    // the last one acknowledged; 0: none
  std::int64_t event = 0;  // the last one received; 0: none

  bool operator==(const Resume&) const = default;
};

struct Start {
  std::string source;  // language, "de"
  std::string target;
  std::optional<std::string> model;
  std::optional<std::string> policy;   // "gma:delta=1.5"
  std::optional<std::string> channel;  // a channel name, see is_channel_name()
  std::optional<Resume> resume = {};   // all but this is as it was at the beginning
  std::optional<int> agreement = {};   // of hypotheses in a row, see kMaxAgreement
  // Of the words as the model is to see them: kSpoken takes case and punctuation away.
  TextForm source_form = TextForm::kWritten;
  std::vector<TrackRequest> tracks = {};
  bool attention = false;  // whether Attention messages are wanted
  bool echo = false;       // whether the sender, too, is told the committed words

  bool operator==(const Start&) const = default;
};

// What changes at the next sentence; absent fields stay as they are.
struct Configure {
  std::optional<std::string> track;  // absent: the first
  std::optional<std::string> model;
  std::optional<std::string> policy;
  std::optional<TextForm> source_form;  // of all tracks

  bool operator==(const Configure&) const = default;
};

// Complete words; the end of the message is the end of a word.
struct Source {
  std::int64_t seq = 0;  // grows from message to message
  std::string text;
  std::optional<double> time;  // seconds on the source's own clock

  bool operator==(const Source&) const = default;
};

// A recogniser's whole current hypothesis since its last final one.
struct Hypothesis {
  std::string text;
  bool final = false;
  std::optional<double> time = {};  // seconds on the source's own clock: the end of what was heard
  bool end_sentence = true;         // where final: whether the sentence ends with it
  std::optional<std::int64_t> seq = {};  // as Source's; where it is given, it is acknowledged

  bool operator==(const Hypothesis&) const = default;
};

struct EndSentence {
  std::optional<std::int64_t> seq = {};  // as Hypothesis'

  bool operator==(const EndSentence&) const = default;
};

struct Finish {
  bool operator==(const Finish&) const = default;
};

using ClientMessage = std::variant<Start, Configure, Source, Hypothesis, EndSentence, Finish>;

// --- server to client ---

// Every limit of the daemon that a client can run into.
struct Limits {
  int message_bytes = 0;       // of one message
  int sentence_words = 0;      // source words of one sentence
  int sentence_tokens = 0;     // source tokens of one sentence
  int queued_words = 0;        // of one stream, taken and not yet translated; beyond, reading waits
  int outgoing_messages = 0;   // waiting for a slow reader; beyond, it is dropped
  int outgoing_bytes = 0;      // likewise
  double silence_seconds = 0;  // without source ends the sentence; 0: never
  double idle_seconds = 0;     // without an answer to pings ends the connection

  bool operator==(const Limits&) const = default;
};

// A translation of a stream, for those who choose among several. The first has no name.
struct Track {
  std::string name;
  std::string target;
  std::string model;
  std::string policy;

  bool operator==(const Track&) const = default;
};

// How a sender whose connection is cut can go on with its stream.
struct Resumption {
  std::string key;                    // the right to do so; viewers are not told
  double seconds = 0;                 // after the cut
  std::optional<std::int64_t> seq{};  // of a stream that goes on now: the last one taken

  bool operator==(const Resumption&) const = default;
};

// Where a viewer begins: the messages that come next show where things stand, and then come all
// that are later than this event of this stream.
struct Backlog {
  std::string stream;
  std::int64_t event = 0;
  int messages = 0;

  bool operator==(const Backlog&) const = default;
};

struct Ready {
  std::optional<std::string> stream;  // absent for a viewer while nobody sends
  std::optional<std::string> channel;
  std::optional<std::string> model;
  std::optional<std::string> policy;
  std::vector<std::string> warnings;
  Limits limits;
  std::vector<Track> tracks = {};         // empty for a viewer while nobody sends
  std::optional<Resumption> resume = {};  // absent where the stream ends with its connection
  // For viewers. Of one that goes on: what it has, as it said; all that is later comes next, and
  // all above is as it was then. Else what it begins with, where it could go on after that.
  std::optional<std::int64_t> after = {};
  std::optional<Backlog> backlog = {};

  bool operator==(const Ready&) const = default;
};

// The words of this message and of all before it are in the journal, where there is one.
struct Ack {
  std::int64_t seq = 0;

  bool operator==(const Ack&) const = default;
};

// Messages of a track begin with its name, which is empty for the first.
//
// What is said of a stream for good has an `event`: it grows from message to message, with gaps for
// those who are not told all, and stays what it is when the stream goes on on another connection or
// in another process. 0: the stream keeps no count.

// One target token's text. The texts of a sentence, joined, are its translation.
struct Write {
  int sentence = 0;
  int index = 0;      // target token number in the sentence, from 0
  std::string text;   // never empty; no leading space in the sentence's first
  int read = 0;       // g(i): source tokens visible to the step
  int words = 0;      // the source words those tokens stand for
  double time = 0.0;  // ms since the stream's ready
  std::string track = {};
  std::optional<double> source_time = {};  // of the last of `words`, as in SourceMessage
  std::int64_t event = 0;

  bool operator==(const Write&) const = default;
};

// What one decoder layer looked at in a step. Numbers are told to a thousandth.
struct AttentionLayer {
  std::vector<float> weights;    // of each source token that it saw, from the first
  std::vector<float> positions;  // aligned ones: a head's each, or one for all heads, or none

  bool operator==(const AttentionLayer&) const = default;
};

// What the step of one target token looked at, where `start` asked for it; that of the end of
// sentence, too. Tokens are pieces of the tokenizers, with U+2581 where words part, and "</s>".
struct Attention {
  int sentence = 0;
  int index = 0;                    // target token number in the sentence, from 0
  std::string target;               // the token
  int read = 0;                     // as in Write
  int source_from = 0;              // of the sentence's source tokens: the number of the first in
  std::vector<std::string> source;  // those that came since the last such message
  std::vector<AttentionLayer> layers;  // the lowest first
  std::string track = {};

  bool operator==(const Attention&) const = default;
};

// Latencies over one unit; nothing where undefined (metrics/latency.h).
struct Scores {
  std::optional<double> al;
  std::optional<double> laal;
  std::optional<double> ap;
  std::optional<double> dal;
  std::optional<double> cw;
  std::optional<double> atd;

  bool operator==(const Scores&) const = default;
};

// A finished sentence.
struct Sentence {
  int sentence = 0;
  std::string source;
  std::string target;
  Scores words;
  Scores tokens;
  std::string track = {};
  std::int64_t event = 0;

  bool operator==(const Sentence&) const = default;
};

// Live latencies after a completed target word, over words.
struct Metrics {
  int sentence = 0;
  Scores scores;      // of the open sentence: al, ap, dal, cw
  Scores stream;      // averages over the stream so far: al, ap, dal, cw
  int sentences = 0;  // that the averages stand for
  std::string track = {};

  bool operator==(const Metrics&) const = default;
};

// Committed source words, for viewers, and for a sender that asked for its echo.
struct SourceMessage {
  int sentence = 0;
  std::string text;
  // Seconds on the source's own clock, or since the stream's ready where it never gave any.
  std::optional<double> time;
  double taken = 0;  // as Write's time
  std::int64_t event = 0;

  bool operator==(const SourceMessage&) const = default;
};

// From this sentence on the track has another model or policy.
struct PolicyChange {
  int sentence = 0;
  std::string model;
  std::string policy;
  bool by_lag = false;  // not asked for: to hold the lag budget
  std::string track = {};
  std::vector<std::string> warnings = {};  // as Ready's
  std::int64_t event = 0;

  bool operator==(const PolicyChange&) const = default;
};

// How many watch the stream's channel, for its sender.
struct Viewers {
  int viewers = 0;

  bool operator==(const Viewers&) const = default;
};

// The viewer was too slow and so many messages were left out. Ready and the last sentences follow
// as at the beginning; they replace whatever it has of the sentences that they belong to.
struct CatchUp {
  int skipped = 0;

  bool operator==(const CatchUp&) const = default;
};

// The recogniser has other words now in the place of committed ones, which stand. Once for each
// stretch of changed words.
struct Revision {
  int sentence = 0;
  std::string committed;  // the words that stand
  std::string heard;      // what the recogniser has there; may be empty
  std::int64_t event = 0;

  bool operator==(const Revision&) const = default;
};

// A sender came to a channel or left it, for viewers.
struct State {
  bool sender = false;
  std::optional<std::string> model;
  std::optional<std::string> policy;
  std::optional<std::string> stream;
  std::vector<Track> tracks = {};

  bool operator==(const State&) const = default;
};

enum class ByeReason { kFinished, kDraining, kSenderLeft, kError, kSlow };
inline constexpr std::array kByeReasons{ByeReason::kFinished, ByeReason::kDraining,
                                        ByeReason::kSenderLeft, ByeReason::kError,
                                        ByeReason::kSlow};
std::string_view name(ByeReason reason);  // "finished"

// The last message before the server closes.
struct Bye {
  ByeReason reason = ByeReason::kFinished;

  bool operator==(const Bye&) const = default;
};

using ServerMessage = std::variant<Ready, Ack, Write, Attention, Sentence, Metrics, SourceMessage,
                                   PolicyChange, Viewers, CatchUp, Revision, State, Error, Bye>;

// --- text and back ---

// Its event, where it is of a kind that has one; nullptr else.
std::int64_t* event_of(ServerMessage& message);
std::int64_t event_of(const ServerMessage& message);  // 0 where it has none

std::string to_json(const ClientMessage& message);
std::string to_json(const ServerMessage& message);

std::variant<ClientMessage, Error> parse_client_message(std::string_view text);
std::variant<ServerMessage, Error> parse_server_message(std::string_view text);

// 1 to 64 characters of A-Z a-z 0-9 . _ -
bool is_channel_name(std::string_view name);

// The track that an address asks for; "first" is the first, whose name is empty.
inline std::string track_by_address(std::string_view name) {
  return std::string(name == "first" ? "" : name);
}

}  // namespace surtitle::protocol
