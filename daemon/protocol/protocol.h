// The wire protocol surtitle.v1: one struct for each message of client and server.
//
// Every message is one JSON object in one WebSocket text frame, with "type" first. Unknown fields
// are ignored, unknown types are an error. surtitle.v1.asyncapi.yaml has the schemas of the
// messages; the tests check real traffic against them.
//
// The parsers accept any bytes and never throw. A failure is an Error whose message is one sentence
// with the field, its object and the allowed values.
//
// Thread-safety: all functions may be called from any thread; messages are plain values.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "daemon/protocol/glossary.h"
#include "daemon/protocol/heading.h"
#include "model/text/text_form.h"

namespace surtitle::protocol {

inline constexpr std::size_t kMaxTracks = 16;  // of one stream, without the first
inline constexpr std::string_view kSubprotocol = "surtitle.v1";
// Close codes of the WebSocket.
inline constexpr std::uint16_t kCloseNormal = 1000;  // after Bye with kFinished
// Without Bye: the next process or another replica continues the stream.
inline constexpr std::uint16_t kCloseServiceRestart = 1012;
// The same request may succeed later.
inline constexpr std::uint16_t kCloseTryAgainLater = 1013;

// --- errors ---

enum class ErrorCode {
  kBadJson,
  kBadUtf8,
  kBadField,
  kUnknownType,
  kOutOfOrder,   // source before start, a second start, any message after finish
  kBadSequence,  // seq does not increase
  kBadPolicy,
  kUnknownModel,
  kUnsupportedLanguages,
  kChannelBusy,
  kSentenceTooLong,  // a notice
  kNotConfigured,    // a notice: Configure was rejected, and nothing has changed
  kMessageTooLarge,
  kTooManyStreams,
  kOverloaded,         // another stream could not be translated in time
  kDraining,           // the daemon shuts down, and accepts no new streams and viewers
  kResumeUnavailable,  // the stream is unknown, or its key is wrong
  kTakenOver,          // the stream continues on another connection
  kNotAllowed,         // a viewer sent a message
  kSlow,               // the client reads too slowly (slow consumer)
  kForbidden,          // the token is missing, invalid or not valid for this request
  kRateLimited,        // a quota of the address or of the token is exceeded
  kInternal,
};
inline constexpr int kErrorCodes = static_cast<int>(ErrorCode::kInternal) + 1;

std::string_view name(ErrorCode code);  // "bad-json"
// Returns the code of a name, or nullopt if the name is unknown.
std::optional<ErrorCode> error_code_by_name(std::string_view name);
// Returns the close code of the WebSocket, such as 4400.
std::uint16_t close_code(ErrorCode code);
// Returns true if the stream continues after the error.
bool is_notice(ErrorCode code);

struct Error {
  ErrorCode code = ErrorCode::kInternal;
  std::string message;                    // one sentence
  std::optional<int> retry_seconds = {};  // the time after which to retry; only for kOverloaded

  bool operator==(const Error&) const = default;
};

// --- client to server ---

// A further translation of the same source, besides the one that Start itself describes.
struct TrackRequest {
  std::string name;                   // unique, see is_channel_name()
  std::optional<std::string> target;  // default: the target of Start
  std::optional<std::string> model;
  std::optional<std::string> policy;
  std::optional<Glossary> glossary = {};  // default: that of Start, see glossary_of_track()

  bool operator==(const TrackRequest&) const = default;
};

// The number of successive hypotheses that must agree on a word before it is committed: 1 to
// kMaxAgreement.
inline constexpr int kDefaultAgreement = 2;
inline constexpr int kMaxAgreement = 10;

inline constexpr int kMaxSilence = 3600;  // seconds

// Continues a stream that began on another connection.
struct Resume {
  std::string stream;      // Ready::stream
  std::string key;         // Resumption::key
  std::int64_t seq = 0;    // the last acknowledged message; 0: none
  std::int64_t event = 0;  // the last received event; 0: none

  bool operator==(const Resume&) const = default;
};

struct Start {
  std::string source;  // language, "de"
  std::string target;
  std::optional<std::string> model;
  std::optional<std::string> policy;   // "gma:delta=1.5"
  std::optional<std::string> channel;  // a channel name, see is_channel_name()
  std::optional<Resume> resume = {};   // if set, the other fields have no effect
  std::optional<int> agreement = {};   // of successive hypotheses, see kMaxAgreement
  // The form of the words that the model receives: kSpoken removes case and punctuation.
  TextForm source_form = TextForm::kWritten;
  std::vector<TrackRequest> tracks = {};
  bool attention = false;  // requests Attention messages
  bool echo = false;       // requests the committed words, as SourceMessage
  // Time without source that ends a sentence, up to kMaxSilence; 0: off. Default: the daemon's.
  std::optional<double> silence = {};
  // The translation of the first sentence begins with this text, as an earlier stream wrote it.
  std::optional<std::string> target_prefix = {};
  Glossary glossary = {};
  Heading heading = {};  // what pages and transcripts show

  bool operator==(const Start&) const = default;
};

// Settings that change at the next sentence, and the heading, which changes at once. The settings
// of absent fields do not change.
struct Configure {
  std::optional<std::string> track;  // default: the first track
  std::optional<std::string> model;
  std::optional<std::string> policy;
  std::optional<TextForm> source_form;      // of all tracks
  std::optional<std::string> title = {};    // see is_heading_text(); "": none from now on
  std::optional<std::string> speaker = {};  // as title
  // Replaces the whole glossary: that of Start, or with `track` that of the track.
  std::optional<Glossary> glossary = {};

  bool operator==(const Configure&) const = default;
};

// Complete source words. The end of the message ends a word.
struct Source {
  std::int64_t seq = 0;  // increases with each message
  std::string text;
  std::optional<double> time;  // seconds on the source's own clock

  bool operator==(const Source&) const = default;
};

// A recogniser's current guess of the text since its last final hypothesis. Some recognisers send
// only the last part of that text (a window).
struct Hypothesis {
  std::string text;
  bool final = false;
  std::optional<double> time = {};       // seconds on the source's own clock, at the last word
  bool end_sentence = true;              // if final: the sentence ends with it
  std::optional<std::int64_t> seq = {};  // as in Source; if present, the message is acknowledged

  bool operator==(const Hypothesis&) const = default;
};

// Words that probably follow the committed ones, but may still change. They replace those of the
// Tail before. The translator reads them ahead. Text that depends on them is a Draft until they are
// committed. Each Tail is answered by one Draft for each track.
struct Tail {
  std::string text;  // may be empty

  bool operator==(const Tail&) const = default;
};

struct EndSentence {
  std::optional<std::int64_t> seq = {};  // as in Hypothesis

  bool operator==(const EndSentence&) const = default;
};

struct Finish {
  bool operator==(const Finish&) const = default;
};

using ClientMessage = std::variant<Start, Configure, Source, Hypothesis, Tail, EndSentence, Finish>;

// --- server to client ---

// The limits of the daemon that concern a client.
struct Limits {
  int message_bytes = 0;       // of one message
  int sentence_words = 0;      // source words of one sentence
  int sentence_tokens = 0;     // source tokens of one sentence
  int queued_words = 0;        // untranslated words of a stream, above which it is not read
  int outgoing_messages = 0;   // unsent messages, above which a client is a slow consumer
  int outgoing_bytes = 0;      // unsent bytes, above which a client is a slow consumer
  double silence_seconds = 0;  // time without source that ends a sentence; 0: off
  double idle_seconds = 0;     // time without an answer to pings that ends the connection

  bool operator==(const Limits&) const = default;
};

// One translation of a stream.
struct Track {
  std::string name;  // empty for the first track
  std::string target;
  std::string model;
  std::string policy;

  bool operator==(const Track&) const = default;
};

// How a sender can resume its stream after its connection is lost.
struct Resumption {
  std::string key;                    // a secret; viewers do not receive it
  double seconds = 0;                 // time that the stream waits for its sender
  std::optional<std::int64_t> seq{};  // of a stream that was resumed: the last message received

  bool operator==(const Resumption&) const = default;
};

// Announces the messages that follow Ready for a new viewer. The first `messages` of them are the
// state of the channel up to this event of this stream. All messages with later events follow.
struct Backlog {
  std::string stream;
  std::int64_t event = 0;
  int messages = 0;

  bool operator==(const Backlog&) const = default;
};

struct Ready {
  std::optional<std::string> stream;  // absent for a viewer of a channel without a sender
  std::optional<std::string> channel;
  std::optional<std::string> model;
  std::optional<std::string> policy;
  std::vector<std::string> warnings;
  Limits limits;
  std::vector<Track> tracks = {};         // empty for a viewer of a channel without a sender
  std::optional<Resumption> resume = {};  // absent if the stream ends with its connection
  // For a viewer that resumes: the event that it named. All messages with later events follow. If
  // the channel has another stream by now, the fields above describe the stream that the viewer
  // named.
  std::optional<std::int64_t> after = {};
  // For a new viewer; absent if the channel has had no stream, or one that does not number its
  // events.
  std::optional<Backlog> backlog = {};
  Heading heading = {};  // of the stream
  // For a viewer: as in Interruption.
  std::optional<double> interrupted = {};

  bool operator==(const Ready&) const = default;
};

// The words of this message and of all earlier ones are in the journal, if there is a journal.
struct Ack {
  std::int64_t seq = 0;

  bool operator==(const Ack&) const = default;
};

// Messages of a track have its name in `track`, which is empty for the first track.
//
// Final messages have an `event`, which increases from message to message. A client that does not
// receive all messages sees gaps. The numbers do not change if the stream continues on another
// connection or in another process. 0: the stream does not number its events.

// The text of one target token. The texts of a sentence, joined, are its translation.
struct Write {
  int sentence = 0;
  int index = 0;      // number of the target token in the sentence, from 0
  std::string text;   // never empty; the first of a sentence has no leading space
  int read = 0;       // source tokens visible to the step (g(i) in the literature)
  int words = 0;      // source words that these tokens belong to
  double time = 0.0;  // ms since the stream's Ready
  std::string track = {};
  std::optional<double> source_time = {};  // of the last of `words`, as in SourceMessage
  std::int64_t event = 0;

  bool operator==(const Write&) const = default;
};

// The answer to Tail, for the sender, once all words are translated as far as the policy allows. It
// comes after the Write messages of the committed words.
struct Draft {
  int sentence = 0;  // the open one, or the next one if none is open
  std::string text;  // continues the text written so far; may change
  std::string track = {};

  bool operator==(const Draft&) const = default;
};

// The cross-attention of one decoder layer in a step. Messages contain numbers with three decimals.
struct AttentionLayer {
  std::vector<float> weights;    // of each source token that the layer saw, from the first
  std::vector<float> positions;  // aligned positions: one for each head, one for all heads, or none

  bool operator==(const AttentionLayer&) const = default;
};

// The cross-attention of the step of one target token, if Start requests it. The end of the
// sentence has one as well. Tokens are pieces of the tokenizers, with U+2581 at the beginning of a
// word; the end of the sentence is "</s>".
struct Attention {
  int sentence = 0;
  int index = 0;                       // number of the target token in the sentence, from 0
  std::string target;                  // the token
  int read = 0;                        // as in Write
  int source_from = 0;                 // number of the first token of `source` in the sentence
  std::vector<std::string> source;     // source tokens since the last such message
  std::vector<AttentionLayer> layers;  // the lowest first
  std::string track = {};

  bool operator==(const Attention&) const = default;
};

// Latencies over one unit, words or tokens; nullopt if undefined (metrics/latency.h).
struct Scores {
  std::optional<double> al;
  std::optional<double> laal;
  std::optional<double> ap;
  std::optional<double> dal;
  std::optional<double> cw;
  std::optional<double> atd;
  std::optional<double> yaal;
  std::optional<double> long_yaal;

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
  int untranslated = 0;  // source words that the translation left out

  bool operator==(const Sentence&) const = default;
};

// Latencies over words, after each completed target word.
struct Metrics {
  int sentence = 0;
  Scores scores;      // of the open sentence: al, ap, dal, cw
  Scores stream;      // averages over the finished sentences of the stream: al, ap, dal, cw
  int sentences = 0;  // number of sentences in the averages
  std::string track = {};

  bool operator==(const Metrics&) const = default;
};

// Committed source words, for viewers, and for a sender that set Start::echo.
struct SourceMessage {
  int sentence = 0;
  std::string text;
  // Seconds on the source's own clock, or since the stream's Ready if the source never sent a time.
  std::optional<double> time;
  double taken = 0;  // when the words were committed, ms since the stream's Ready
  std::int64_t event = 0;

  bool operator==(const SourceMessage&) const = default;
};

// The model and the policy of a track from this sentence on.
struct PolicyChange {
  int sentence = 0;
  std::string model;
  std::string policy;
  bool by_lag = false;  // the policy auto made the change, to hold its lag
  std::string track = {};
  std::vector<std::string> warnings = {};  // as in Ready
  std::int64_t event = 0;

  bool operator==(const PolicyChange&) const = default;
};

// The number of viewers of the stream's channel, for its sender.
struct Viewers {
  int viewers = 0;

  bool operator==(const Viewers&) const = default;
};

// The viewer was too slow, and `skipped` messages were not sent to it. Ready and the last sentences
// follow, as for a new viewer. They replace the viewer's copies of these sentences.
struct CatchUp {
  int skipped = 0;

  bool operator==(const CatchUp&) const = default;
};

// A hypothesis changed words that are committed already. The committed words and their translation
// stay. There is one message for each stretch of changed words.
struct Revision {
  int sentence = 0;
  std::string committed;  // the committed words
  std::string heard;      // the recogniser's words in their place; may be empty
  std::int64_t event = 0;

  bool operator==(const Revision&) const = default;
};

// A channel has a new sender, or has lost its sender. For viewers.
struct State {
  bool sender = false;  // false: the other fields are absent
  std::optional<std::string> model;
  std::optional<std::string> policy;
  std::optional<std::string> stream;
  std::vector<Track> tracks = {};
  Heading heading = {};                    // of the stream
  std::optional<double> interrupted = {};  // as in Interruption

  bool operator==(const State&) const = default;
};

// The channel's stream has lost its sender and waits for it, or its sender is back. For viewers. It
// is a state of the channel, not an event of the stream: a later viewer finds it in Ready.
struct Interruption {
  // Seconds that the stream still waits for its sender; absent: the sender is back.
  std::optional<double> interrupted;

  bool operator==(const Interruption&) const = default;
};

// The stream has another heading from now on.
struct HeadingChange {
  Heading heading;
  std::int64_t event = 0;

  bool operator==(const HeadingChange&) const = default;
};

// kSenderLeft: the sender closed its connection without Finish, or did not resume. kSlow: the
// client read too slowly.
enum class ByeReason { kFinished, kDraining, kSenderLeft, kError, kSlow };
inline constexpr std::array kByeReasons{ByeReason::kFinished, ByeReason::kDraining,
                                        ByeReason::kSenderLeft, ByeReason::kError,
                                        ByeReason::kSlow};
std::string_view name(ByeReason reason);  // "finished"

// The last message before the server closes the connection.
struct Bye {
  ByeReason reason = ByeReason::kFinished;

  bool operator==(const Bye&) const = default;
};

using ServerMessage = std::variant<Ready, Ack, Write, Draft, Attention, Sentence, Metrics,
                                   SourceMessage, PolicyChange, HeadingChange, Viewers, CatchUp,
                                   Revision, State, Interruption, Error, Bye>;

// --- serialisation ---

// Returns the event field of the message, or nullptr if its type has none.
std::int64_t* event_of(ServerMessage& message);
// Returns the event of the message, or 0 if it has none.
std::int64_t event_of(const ServerMessage& message);

std::string to_json(const ClientMessage& message);
std::string to_json(const ServerMessage& message);

std::variant<ClientMessage, Error> parse_client_message(std::string_view text);
std::variant<ServerMessage, Error> parse_server_message(std::string_view text);

// Returns true for 1 to 64 characters of A-Z a-z 0-9 . _ - other than "." and "..", which browsers
// and proxies remove from a path.
bool is_channel_name(std::string_view name);
inline constexpr std::string_view kChannelNameRule =
    "1 to 64 characters of A-Z a-z 0-9 . _ -, other than . and ..; a title may be any text";

// Returns the name of the track for ?track=NAME of a URL: "" (the first track) for "first",
// otherwise NAME.
inline std::string track_from_query(std::string_view name) {
  return std::string(name == "first" ? "" : name);
}

}  // namespace surtitle::protocol
