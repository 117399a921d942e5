// Encodes and decodes the rows and the settings of the journal.
//
// A row's input is a message of the sender as it came, {"type":"silence"} where one ended a
// sentence, or {"type":"translated","events":[[track, sentence, token, read],...]}, a token of -1
// for the end of a sentence.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "daemon/journal/journal_store.h"
#include "daemon/protocol/protocol.h"
#include "daemon/translation/translation_command.h"

namespace surtitle {

// How a stream was started; a replay of its history starts a session the same way.
struct StreamSettings {
  protocol::Start start;   // with the model and policy of every track
  int sentence_words = 0;  // as SessionOptions
  int message_words = 0;

  bool operator==(const StreamSettings&) const = default;
};

struct Silence {
  bool operator==(const Silence&) const = default;
};

using StreamInput = std::variant<protocol::ClientMessage, Silence, std::vector<TranslationEvent>>;

// Returns `start` with these tracks in place of defaults, which may have changed when it is
// replayed.
protocol::Start resolve_start(protocol::Start start, const std::vector<protocol::Track>& tracks);

// The reason and the error in the last row of a history that has ended.
protocol::ByeReason end_reason(const StreamHistory& history);
protocol::Error error_of(const StreamHistory& history);

// The last entry of a history that cannot be continued: the end of a stream that failed.
JournalEntry make_failed_entry(const StreamHistory& history);

// How far a history goes: the last message that was received, and the last event that was sent.
struct StreamOffsets {
  std::int64_t seq = 0;
  std::int64_t event = 0;
  // Whether this is at least as far as the sender knows.
  bool covers(const protocol::Resume& known) const noexcept {
    return known.seq <= seq && known.event <= event;
  }
};
StreamOffsets offsets_of(const StreamHistory& history);

// Joins lines as a row has them, each with its newline.
std::string to_jsonl(const std::vector<std::string>& lines);

std::string to_json(const StreamSettings& settings);
std::string silence_record();
// Without failures and idle notices.
std::string to_json(std::span<const TranslationEvent> events);

// An error is one sentence. Events come with the key of stream `number`.
std::variant<StreamSettings, std::string> parse_settings(std::string_view text);
std::variant<StreamInput, std::string> parse_input(std::string_view text, std::uint64_t number);

}  // namespace surtitle
