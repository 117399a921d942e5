#include "daemon/protocol/stream_log_format.h"

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <cstdint>

#include "daemon/base/json_fields.h"
#include "daemon/base/json_parse.h"
#include "daemon/base/json_writer.h"
#include "daemon/protocol/track_json.h"

namespace surtitle::stream_log {
namespace {

namespace json = boost::json;
using protocol::ByeReason;

constexpr std::string_view kHeadType = "stream_log";
// The types of is_logged(). Lines of other types are not parsed.
constexpr std::array<std::string_view, 7> kMessages{"source", "write",   "sentence", "revision",
                                                    "policy", "heading", "error"};

TextForm read_form(JsonFields& fields) {
  const std::optional<TextForm> form = text_form_by_name(fields.text("source_form"));
  if (!form) {
    fields.fail("source_form", "one of: " + std::string(kTextForms));
  }
  return form.value_or(TextForm::kWritten);
}

Line read_head(JsonFields& fields) {
  Head head;
  const std::int64_t version = fields.whole_number("version");
  if (version != kVersion) {
    fields.fail("version", std::to_string(kVersion) + "; no other version is supported");
  }
  head.started = fields.text("started");
  head.stream = fields.text("stream");
  head.channel = fields.optional_text("channel");
  head.source = fields.text("source");
  head.source_form = read_form(fields);
  head.tracks = protocol::read_tracks(fields);
  if (head.tracks.empty()) {
    fields.fail("tracks", "a list of at least one track");
  }
  head.heading = protocol::read_heading(fields);
  return head;
}

Line read_sentence_end(JsonFields& fields) {
  return SentenceEnd{fields.small_number("sentence"), fields.number("time")};
}

Line read_form_change(JsonFields& fields) { return FormChange{read_form(fields)}; }

Line read_end(JsonFields& fields) {
  End end;
  const std::string reason = fields.text("reason");
  constexpr std::array kReasons{ByeReason::kFinished, ByeReason::kDraining, ByeReason::kSenderLeft,
                                ByeReason::kError, ByeReason::kSlow};
  const auto* known = std::find_if(kReasons.begin(), kReasons.end(),
                                   [&](ByeReason other) { return name(other) == reason; });
  if (known == kReasons.end()) {
    fields.fail("reason", "finished, draining, sender-left, error or slow");
  } else {
    end.reason = *known;
  }
  end.time = fields.number("time");
  end.words = fields.small_number("words");
  return end;
}

struct LineType {
  std::string_view type;
  Line (*read)(JsonFields&);
};
constexpr std::array<LineType, 4> kLineTypes{{{kHeadType, read_head},
                                              {"end_sentence", read_sentence_end},
                                              {"source_form", read_form_change},
                                              {"end", read_end}}};

}  // namespace

bool is_logged(const protocol::ServerMessage& message) {
  return std::holds_alternative<protocol::SourceMessage>(message) ||
         std::holds_alternative<protocol::Write>(message) ||
         std::holds_alternative<protocol::Sentence>(message) ||
         std::holds_alternative<protocol::Revision>(message) ||
         std::holds_alternative<protocol::PolicyChange>(message) ||
         std::holds_alternative<protocol::HeadingChange>(message) ||
         std::holds_alternative<protocol::Error>(message);
}

std::string to_json(const Head& head) {
  JsonWriter line;
  line.field("type", kHeadType)
      .field("version", kVersion)
      .field("started", head.started)
      .field("stream", head.stream)
      .optional_field("channel", head.channel)
      .field("source", head.source)
      .field("source_form", surtitle::name(head.source_form));
  line.raw_field("tracks", protocol::tracks_json(head.tracks));
  return protocol::add_heading(line, head.heading).finish();
}

std::string to_json(const SentenceEnd& end) {
  return JsonWriter()
      .field("type", "end_sentence")
      .field("sentence", end.sentence)
      .field("time", end.time)
      .finish();
}

std::string to_json(const FormChange& change) {
  return JsonWriter()
      .field("type", "source_form")
      .field("source_form", surtitle::name(change.source_form))
      .finish();
}

std::string to_json(const End& end) {
  return JsonWriter()
      .field("type", "end")
      .field("reason", protocol::name(end.reason))
      .field("time", end.time)
      .field("words", end.words)
      .finish();
}

std::variant<std::optional<Line>, std::string> parse_line(std::string_view text) {
  boost::system::error_code failure;
  const json::value document = parse_json(text, failure);
  if (failure) {
    return "the line is not valid JSON (" + failure.message() + ")";
  }
  if (!document.is_object()) {
    return "the line is not a JSON object";
  }
  JsonFields head(document.get_object(), "the line");
  const std::string type = head.text("type");
  if (head.error()) {
    return *head.error();
  }
  for (const LineType& known : kLineTypes) {
    if (known.type == type) {
      JsonFields fields(document.get_object(), known.type);
      Line line = known.read(fields);
      if (fields.error()) {
        return *fields.error();
      }
      return std::optional(std::move(line));
    }
  }
  if (std::find(kMessages.begin(), kMessages.end(), type) == kMessages.end()) {
    return std::optional<Line>();
  }
  std::variant<protocol::ServerMessage, protocol::Error> message =
      protocol::parse_server_message(text);
  if (const auto* error = std::get_if<protocol::Error>(&message)) {
    return error->message;
  }
  return std::optional<Line>(std::get<protocol::ServerMessage>(std::move(message)));
}

bool is_head(std::string_view line) {
  boost::system::error_code failure;
  const json::value document = json::parse(line, failure);
  const json::object* object = failure ? nullptr : document.if_object();
  const json::value* type = object == nullptr ? nullptr : object->if_contains("type");
  return type != nullptr && type->is_string() && type->get_string() == kHeadType;
}

}  // namespace surtitle::stream_log
