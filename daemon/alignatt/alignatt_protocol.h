// The messages of WhisperLiveKit's translation backend "alignatt", version 1.
//
// A client sends `init`, then one `update` after another; each is answered. An update has all words
// of the open utterance that are committed, and the words after them that may still change.
//
// The parser accepts any bytes and never throws. A failure is an Error of one sentence.
//
// Thread-safety: all functions may be called from any thread; messages are plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace surtitle::alignatt {

inline constexpr int kProtocolVersion = 1;

struct Error {
  std::string code;                         // "unsupported_direction"
  std::string message;                      // one sentence
  std::vector<std::string> supported = {};  // directions, "de-en"; only for unsupported_direction

  bool operator==(const Error&) const = default;
};

// --- client to server ---

struct Init {
  std::string source_lang;
  std::string target_lang;
  std::optional<std::string> preset = {};
  // The override by which clients tell their latency settings apart: "low" asks for 0 held units,
  // "quality" for 1, and "balanced" for nothing.
  std::optional<double> hold_back = {};
  std::string context_text = {};  // its lines "term = translation" are a glossary
  std::string accepted_target_prefix = {};

  bool operator==(const Init&) const = default;
};

struct Word {
  std::string text;
  std::optional<double> time = {};  // of its end, in ms of the speaker's clock

  bool operator==(const Word&) const = default;
};

struct Update {
  std::int64_t seq = 0;
  std::int64_t utterance_id = 0;
  std::vector<Word> words;  // committed
  bool is_final = false;
  std::vector<std::string> tail = {};  // not committed
  bool forced_final = false;           // is_final is the server's, as the utterance is too long

  bool operator==(const Update&) const = default;
};

// Returns the message, or an error that ends nothing but the message.
std::variant<Init, Update, Error> parse(std::string_view text);

// --- server to client ---

struct InitOk {
  std::string direction;  // "de-en"
  std::string preset;     // the policy in use
  std::string model;
};

struct Translation {
  std::int64_t seq = 0;
  std::int64_t utterance_id = 0;
  bool final = false;
  bool forced_final = false;     // the server has ended the utterance
  std::string committed_text;    // of the utterance; only grows
  std::string committed_delta;   // what it has grown by since the last answer
  std::string buffer_text;       // a draft that continues it, and may change
  int covered_source_units = 0;  // committed words that committed_text has seen
};

std::string to_json(const Error& error);
std::string to_json(const InitOk& init_ok);
std::string to_json(const Translation& translation);

}  // namespace surtitle::alignatt
