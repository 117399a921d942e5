#include "daemon/alignatt/alignatt_protocol.h"

#include <boost/json.hpp>
#include <cmath>

#include "daemon/base/json_fields.h"
#include "daemon/base/json_parse.h"
#include "daemon/base/json_writer.h"
#include "daemon/base/text.h"
#include "model/text/words.h"

namespace surtitle::alignatt {
namespace {

namespace json = boost::json;

constexpr std::string_view kHoldBack = "translation_alignatt_hold_back_target_units";

// Returns the text without white space at its begin and end.
std::string trimmed(const std::string& text) {
  const std::vector<std::string_view> words = split_words(text);
  if (words.empty()) {
    return {};
  }
  const char* end = words.back().data() + words.back().size();
  return {words.front().data(), end};
}

Init read_init(JsonFields& fields) {
  Init init;
  init.source_lang = fields.text("source_lang");
  init.target_lang = fields.text("target_lang");
  init.preset = fields.optional_text("preset");
  init.context_text = fields.optional_text("context_text").value_or("");
  init.accepted_target_prefix =
      trimmed(fields.optional_text("accepted_target_prefix").value_or(""));
  if (fields.has("overrides")) {
    JsonFields overrides(fields.object("overrides"), "init's overrides");
    init.hold_back = overrides.optional_number(kHoldBack);
    fields.adopt_error(overrides);
  }
  return init;
}

// Returns nullopt if the item is not [text, start_ms, end_ms], or [text].
std::optional<Word> read_word(const json::value& item) {
  constexpr std::size_t kEnd = 2;
  const json::array* parts = item.if_array();
  if (parts == nullptr || parts->empty() || parts->size() > kEnd + 1 ||
      !parts->front().is_string()) {
    return std::nullopt;
  }
  Word word{std::string(parts->front().get_string())};
  for (std::size_t i = 1; i < parts->size(); ++i) {  // a word without an end has that of its begin
    const json::value& time = (*parts)[i];
    if (time.is_number() && std::isfinite(time.to_number<double>())) {
      word.time = time.to_number<double>();
    } else if (!time.is_null()) {
      return std::nullopt;
    }
  }
  return word;
}

std::vector<Word> read_words(const json::object& owner, JsonFields& fields) {
  std::vector<Word> words;
  const json::value* list = owner.if_contains("words");
  bool valid = list != nullptr && list->is_array();
  for (std::size_t i = 0; valid && i < list->get_array().size(); ++i) {
    std::optional<Word> word = read_word(list->get_array()[i]);
    valid = word.has_value();
    if (valid) {
      words.push_back(*std::move(word));
    }
  }
  if (!valid) {
    fields.fail("words", "a list of [text, start_ms, end_ms]");
  }
  return words;
}

Update read_update(const json::object& object, JsonFields& fields) {
  Update update;
  update.seq = fields.whole_number("seq");
  update.utterance_id = fields.whole_number("utterance_id");
  update.words = read_words(object, fields);
  update.is_final = fields.flag("is_final");
  const std::optional<double> clock = fields.optional_number("clock_ms");
  for (Word& word : update.words) {
    word.time = word.time ? word.time : clock;
  }
  if (fields.has("tail")) {
    const json::object& owner = fields.object("tail");
    JsonFields tail(owner, "update's tail");
    for (Word& word : read_words(owner, tail)) {
      update.tail.push_back(std::move(word.text));
    }
    fields.adopt_error(tail);
  }
  return update;
}

}  // namespace

std::variant<Init, Update, Error> parse(std::string_view text) {
  boost::system::error_code failure;
  const json::value document = parse_json(text, failure);
  if (failure) {
    return Error{"bad_json", "the message is not JSON: " + failure.message()};
  }
  if (!document.is_object()) {
    return Error{"bad_json", "the message is not a JSON object"};
  }
  const json::object& object = document.get_object();
  JsonFields head(object, "the message");
  const std::string type = head.text("type");
  if (head.error()) {
    return Error{"bad_field", *head.error()};
  }
  if (type != "init" && type != "update") {
    return Error{"unknown_type",
                 "message type " + in_quotes(type) + " is unknown; allowed: init, update"};
  }
  JsonFields fields(object, type);
  std::variant<Init, Update, Error> message;
  if (type == "init") {
    if (const int version = fields.small_number("protocol_version");
        !fields.error() && version != kProtocolVersion) {
      return Error{"unsupported_protocol",
                   "protocol_version " + std::to_string(version) + " is not supported; allowed: 1"};
    }
    message = read_init(fields);
  } else {
    message = read_update(object, fields);
  }
  if (fields.error()) {
    return Error{"bad_field", *fields.error()};
  }
  return message;
}

std::string to_json(const Error& error) {
  JsonWriter json;
  json.field("type", "error").field("code", error.code).field("message", error.message);
  if (!error.supported.empty()) {
    json.raw_field("supported", json_array(error.supported, json_string));
  }
  return json.finish();
}

std::string to_json(const InitOk& init_ok) {
  return JsonWriter()
      .field("type", "init_ok")
      .field("protocol_version", kProtocolVersion)
      .field("direction", init_ok.direction)
      .field("preset", init_ok.preset)
      .field("model", init_ok.model)
      .finish();
}

std::string to_json(const Translation& translation) {
  return JsonWriter()
      .field("type", "translation")
      .field("seq", translation.seq)
      .field("utterance_id", translation.utterance_id)
      .field("final", translation.final)
      .field("forced_final", translation.forced_final)
      .field("committed_text", translation.committed_text)
      .field("committed_delta", translation.committed_delta)
      .field("buffer_text", translation.buffer_text)
      .field("covered_source_units", translation.covered_source_units)
      .finish();
}

}  // namespace surtitle::alignatt
