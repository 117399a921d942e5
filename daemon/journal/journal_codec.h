// Encodes and decodes the rows and the settings of the journal.
//
// The input of a row has one of these forms. The token -1 is the end of a sentence.
//
//   a message of the sender, unchanged
//   {"type":"silence"}: a silence ended a sentence
//   {"type":"translated","events":[[track, sentence, token, read],...]}: output of translators; a
//       fifth number is the probability that a word begins a sentence
//       (daemon/translation/start_watch.h)
//
// Thread-safety: all functions may be called from any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "daemon/base/named_type.h"
#include "daemon/journal/journal_store.h"
#include "daemon/protocol/protocol.h"
#include "daemon/translation/translation_command.h"

namespace surtitle {

// The settings with which a stream began. A replay of its history begins its session with them.
struct StreamSettings {
  protocol::Start start;   // with the model and policy of every track
  int sentence_words = 0;  // see SessionOptions
  int message_words = 0;   // see SessionOptions

  bool operator==(const StreamSettings&) const = default;
};

struct Silence {
  bool operator==(const Silence&) const = default;
};

using StreamInput = std::variant<protocol::ClientMessage, Silence, std::vector<TranslationEvent>>;

// Returns `start` with the models and policies of these tracks in place of defaults, which may have
// changed by the time of a replay.
protocol::Start resolve_start(protocol::Start start, const std::vector<protocol::Track>& tracks);

// Returns the reason of the end in the last row of a history, or kSenderLeft if it has none.
protocol::ByeReason end_reason(const StreamHistory& history);
// Returns the error in the last row of a history, or an internal error if it has none.
protocol::Error error_of(const StreamHistory& history);

// Returns the entry that ends a history that cannot be continued, with the reason kError.
JournalEntry make_failed_entry(const StreamHistory& history);

using Seq = NamedType<std::int64_t, struct SeqTag>;                  // of a sender; 0: none
using EventNumber = NamedType<std::int64_t, struct EventNumberTag>;  // of a stream; 0: none

// How far a history goes: the last message that was received, and the last event that was sent.
struct StreamOffsets {
  Seq seq;
  EventNumber event;
  // Returns true if the history contains all that the sender has received.
  bool covers(const protocol::Resume& known) const noexcept {
    return Seq(known.seq) <= seq && EventNumber(known.event) <= event;
  }
};
StreamOffsets offsets_of(const StreamHistory& history);

// Joins lines for JournalRow::lines; each ends with a newline.
std::string to_jsonl(const std::vector<std::string>& lines);

std::string to_json(const StreamSettings& settings);
// Returns the input of the row of a silence.
std::string silence_input();
// REQUIRES: each event is a token, an end of a sentence or a probability.
std::string to_json(std::span<const TranslationEvent> events);

// Both return an error of one sentence if the text is invalid. The keys of parsed events have the
// stream `number`.
std::variant<StreamSettings, std::string> parse_settings(std::string_view text);
std::variant<StreamInput, std::string> parse_input(std::string_view text, std::uint64_t number);

}  // namespace surtitle
