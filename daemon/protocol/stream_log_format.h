// The log of a stream, as surtitled writes it (--stream-logs) and `surtitle replay` reads it: a
// JSON object a line, in the order in which it happened.
//
//   {"type":"stream_log","version":1,...}  Head, the first line
//   {"type":"source",...}                  words as they were taken   (protocol::SourceMessage)
//   {"type":"end_sentence",...}            SentenceEnd
//   {"type":"write",...}                   one target token's text    (protocol::Write)
//   {"type":"sentence",...}                translation and scores     (protocol::Sentence)
//   {"type":"revision",...}                                           (protocol::Revision)
//   {"type":"policy",...}                  from its sentence on       (protocol::PolicyChange)
//   {"type":"source_form",...}             FormChange
//   {"type":"error",...}                   notices and what ended it  (protocol::Error)
//   {"type":"end",...}                     End, the last line; missing where the log was cut off
//
// The READ and WRITE actions follow from it: a write's `words` and `read` are the source words and
// tokens that had been read. The policy that a track begins with is its `policy` line for sentence
// 0 where there is one (policy auto:lag has no other way to say it), else that of the head. Lines
// of the protocol are exactly its messages. Fields may be added without a new version; a reader
// ignores what it does not know.
//
// Thread-safety: plain values and pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "daemon/protocol/protocol.h"
#include "model/text/text_form.h"

namespace surtitle::stream_log {

inline constexpr int kVersion = 1;

// What the stream is.
struct Head {
  std::string started;  // UTC, "2026-11-22T03:36:55.123Z": when the stream was ready
  std::string stream;
  std::optional<std::string> channel;
  std::string source;  // language
  TextForm source_form = TextForm::kWritten;
  std::vector<protocol::Track> tracks;  // at least one, the first without a name

  bool operator==(const Head&) const = default;
};

// No more words of this sentence.
struct SentenceEnd {
  int sentence = 0;
  double time = 0;  // ms since the stream's ready

  bool operator==(const SentenceEnd&) const = default;
};

// Words are taken so from the next sentence on.
struct FormChange {
  TextForm source_form = TextForm::kWritten;

  bool operator==(const FormChange&) const = default;
};

struct End {
  protocol::ByeReason reason = protocol::ByeReason::kFinished;
  double time = 0;  // ms since the stream's ready
  int words = 0;    // source words taken in all

  bool operator==(const End&) const = default;
};

using Line = std::variant<Head, SentenceEnd, FormChange, End, protocol::ServerMessage>;

std::string to_json(const Head& head);
std::string to_json(const SentenceEnd& end);
std::string to_json(const FormChange& change);
std::string to_json(const End& end);

// Which messages are lines of a log.
bool is_logged(const protocol::ServerMessage& message);

// A line whose type is unknown is nothing. An error is one sentence without its place: what is
// wrong and what is allowed.
std::variant<std::optional<Line>, std::string> parse_line(std::string_view text);

// Whether a file that begins with this line is a stream's log, of whatever version.
bool is_head(std::string_view line);

}  // namespace surtitle::stream_log
