#include "daemon/journal/journal_codec.h"

#include <algorithm>
#include <boost/json.hpp>
#include <chrono>
#include <iterator>
#include <sstream>
#include <string>
#include <type_traits>

#include "daemon/base/json_fields.h"
#include "daemon/base/json_writer.h"
#include "daemon/protocol/stream_log_format.h"

namespace surtitle {
namespace {

namespace json = boost::json;

constexpr std::string_view kSilence = "silence";
constexpr std::string_view kTranslated = "translated";
constexpr int kEnd = -1;  // token of the end of a sentence

std::vector<TranslationEvent> read_events(const json::object& object, std::uint64_t number) {
  constexpr std::size_t kParts = 4;
  constexpr std::size_t kPartsOfStart = 5;
  std::vector<TranslationEvent> events;
  for (const json::value& item : object.at("events").as_array()) {
    const json::array& parts = item.as_array();
    if (parts.size() != kParts && parts.size() != kPartsOfStart) {
      throw std::invalid_argument("an event must have four or five numbers");
    }
    TranslationEvent event;
    event.key = {number, parts[0].to_number<int>(), parts[1].to_number<int>()};
    event.token = parts[2].to_number<int>();
    event.read = parts[3].to_number<int>();
    event.end = event.token == kEnd;
    event.token = event.end ? 0 : event.token;
    if (parts.size() == kPartsOfStart) {
      event.start = static_cast<float>(parts[4].to_number<double>());
    }
    events.push_back(std::move(event));
  }
  return events;
}

// Calls `visit` for each line of the row, except for unknown and invalid lines.
template <typename Visit>
void each_line(const JournalRow& row, const Visit& visit) {
  std::istringstream lines(row.lines);
  for (std::string text; std::getline(lines, text);) {
    const auto parsed = stream_log::parse_line(text);
    const auto* line = std::get_if<std::optional<stream_log::Line>>(&parsed);
    if (line != nullptr && *line) {
      visit(**line);
    }
  }
}

// Returns the last line of this type in the last row, or `otherwise` if there is none.
template <typename Wanted>
Wanted last_of(const StreamHistory& history, Wanted otherwise) {
  each_line(history.rows.empty() ? JournalRow() : history.rows.back(),
            [&](const stream_log::Line& line) {
              if constexpr (std::is_same_v<Wanted, stream_log::End>) {
                if (const auto* found = std::get_if<stream_log::End>(&line)) {
                  otherwise = *found;
                }
              } else if (const auto* message = std::get_if<protocol::ServerMessage>(&line)) {
                if (const auto* found = std::get_if<Wanted>(message)) {
                  otherwise = *found;
                }
              }
            });
  return otherwise;
}

// Returns the sequence number of the message, or 0 if it has none.
Seq seq_of(const protocol::ClientMessage& message) {
  return std::visit(
      [](const auto& one) {
        if constexpr (requires { one.seq.value_or(0); }) {
          return Seq(one.seq.value_or(0));
        } else if constexpr (requires { one.seq; }) {
          return Seq(one.seq);
        } else {
          return Seq();
        }
      },
      message);
}

}  // namespace

protocol::Start resolve_start(protocol::Start start, const std::vector<protocol::Track>& tracks) {
  start.resume.reset();
  start.model = tracks.front().model;
  start.policy = tracks.front().policy;
  for (std::size_t i = 0; i < start.tracks.size(); ++i) {
    start.tracks[i].model = tracks[i + 1].model;
    start.tracks[i].policy = tracks[i + 1].policy;
  }
  return start;
}

protocol::ByeReason end_reason(const StreamHistory& history) {
  return last_of<stream_log::End>(history, {protocol::ByeReason::kSenderLeft}).reason;
}

protocol::Error error_of(const StreamHistory& history) {
  return last_of<protocol::Error>(history, {protocol::ErrorCode::kInternal, "the stream failed"});
}

JournalEntry make_failed_entry(const StreamHistory& history) {
  int words = 0;
  for (const JournalRow& row : history.rows) {
    each_line(row, [&words](const stream_log::Line& line) {
      const auto* message = std::get_if<protocol::ServerMessage>(&line);
      const auto* source =
          message == nullptr ? nullptr : std::get_if<protocol::SourceMessage>(message);
      if (source != nullptr) {
        std::istringstream text(source->text);
        words += static_cast<int>(std::distance(std::istream_iterator<std::string>(text), {}));
      }
    });
  }
  const std::int64_t last = history.rows.empty() ? 0 : history.rows.back().at;
  const stream_log::End end{
      protocol::ByeReason::kError,
      std::chrono::duration<double, std::milli>(std::chrono::nanoseconds(last)).count(), words};
  return {.stream = history.stream.name,
          .row = JournalRow{last, {}, to_jsonl({to_json(end)})},
          .ends = true};
}

StreamOffsets offsets_of(const StreamHistory& history) {
  StreamOffsets offsets;
  for (auto row = history.rows.rbegin();
       row != history.rows.rend() && (offsets.seq == Seq() || offsets.event == EventNumber());
       ++row) {
    const auto input = parse_input(row->input, 0);
    const auto* parsed = std::get_if<StreamInput>(&input);
    const auto* message =
        parsed == nullptr ? nullptr : std::get_if<protocol::ClientMessage>(parsed);
    if (message != nullptr) {
      offsets.seq = std::max(offsets.seq, seq_of(*message));
    }
    each_line(*row, [&](const stream_log::Line& line) {
      if (const auto* sent = std::get_if<protocol::ServerMessage>(&line)) {
        offsets.event = std::max(offsets.event, EventNumber(protocol::event_of(*sent)));
      }
    });
  }
  return offsets;
}

std::string to_jsonl(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) {
    text.append(line).append("\n");
  }
  return text;
}

std::string to_json(const StreamSettings& settings) {
  return JsonWriter()
      .raw_field("start", protocol::to_json(protocol::ClientMessage(settings.start)))
      .field("sentence_words", settings.sentence_words)
      .field("message_words", settings.message_words)
      .finish();
}

std::string silence_input() { return JsonWriter().field("type", kSilence).finish(); }

std::string to_json(std::span<const TranslationEvent> events) {
  const std::string list = json_array(events, [](const TranslationEvent& event) {
    return "[" + std::to_string(event.key.track) + "," + std::to_string(event.key.sentence) + "," +
           std::to_string(event.end ? kEnd : event.token) + "," + std::to_string(event.read) +
           (event.start ? "," + json_number(*event.start) : "") + "]";
  });
  return JsonWriter().field("type", kTranslated).raw_field("events", list).finish();
}

std::variant<StreamSettings, std::string> parse_settings(std::string_view text) {
  try {
    const json::value document = json::parse(text);
    const json::object& object = document.as_object();
    auto start = protocol::parse_client_message(json::serialize(object.at("start")));
    if (const auto* error = std::get_if<protocol::Error>(&start)) {
      return error->message;
    }
    return StreamSettings{
        std::get<protocol::Start>(std::get<protocol::ClientMessage>(std::move(start))),
        object.at("sentence_words").to_number<int>(), object.at("message_words").to_number<int>()};
  } catch (const std::exception& failure) {
    return "its settings cannot be read: " + std::string(failure.what());
  }
}

std::variant<StreamInput, std::string> parse_input(std::string_view text, std::uint64_t number) {
  try {
    const json::value document = json::parse(text);
    const json::object& object = document.as_object();
    const json::string& type = object.at("type").as_string();
    if (type == kSilence) {
      return StreamInput(Silence());
    }
    if (type == kTranslated) {
      return StreamInput(read_events(object, number));
    }
  } catch (const std::exception& failure) {
    return "a row cannot be read: " + std::string(failure.what());
  }
  auto message = protocol::parse_client_message(text);
  if (const auto* error = std::get_if<protocol::Error>(&message)) {
    return error->message;
  }
  return StreamInput(std::get<protocol::ClientMessage>(std::move(message)));
}

}  // namespace surtitle
