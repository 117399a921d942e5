// The format of stream logs, which surtitled writes and `surtitle replay` reads.
//
// Each line is one JSON object (--stream-logs). daemon/README.md has the types of lines. Those
// without a struct here are messages of the protocol.
//
// A track begins with the policy in Head, unless it has a `policy` line for sentence 0 (as with
// auto:lag). Readers ignore unknown fields and types, so both may be added without a new version.
//
// Thread-safety: all functions may be called from any thread.
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

// Description of the stream.
struct Head {
  std::string started;  // UTC, "2026-11-22T03:36:55.123Z": when the stream was ready
  std::string stream;
  std::optional<std::string> channel;
  std::string source;  // language
  TextForm source_form = TextForm::kWritten;
  std::vector<protocol::Track> tracks;  // at least one, the first without a name
  protocol::Heading heading = {};       // with which the stream began

  bool operator==(const Head&) const = default;
};

// The source of this sentence is complete.
struct SentenceEnd {
  int sentence = 0;
  double time = 0;  // ms since the stream's ready

  bool operator==(const SentenceEnd&) const = default;
};

// The source form from the next sentence on.
struct FormChange {
  TextForm source_form = TextForm::kWritten;

  bool operator==(const FormChange&) const = default;
};

struct End {
  protocol::ByeReason reason = protocol::ByeReason::kFinished;
  double time = 0;  // ms since the stream's ready
  int words = 0;    // all committed source words

  bool operator==(const End&) const = default;
};

using Line = std::variant<Head, SentenceEnd, FormChange, End, protocol::ServerMessage>;

std::string to_json(const Head& head);
std::string to_json(const SentenceEnd& end);
std::string to_json(const FormChange& change);
std::string to_json(const End& end);

// Returns true if messages of this type are lines of the log.
bool is_logged(const protocol::ServerMessage& message);

// Returns the line, or nullopt if its type is unknown. If the line is invalid, returns an error:
// one sentence with the field and the allowed values, without file and line number.
std::variant<std::optional<Line>, std::string> parse_line(std::string_view text);

// Returns true if a file that begins with this line is a stream log of any version.
bool is_head(std::string_view line);

}  // namespace surtitle::stream_log
