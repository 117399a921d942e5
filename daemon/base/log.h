// The daemon's structured log on stderr: one line for each event, as text or JSON.
//
//   text: 2026-11-22T09:00:00.123+00:00 info Stream resumed stream=s-0123abcd event=17
//   json: {"time":"2026-11-22T09:00:00.123+00:00","level":"info","message":"Stream resumed",
//          "stream":"s-0123abcd","event":17}
//
// A line about a stream has the stream's name in the field `stream` and its channel, if any, in
// `channel`. No field has an access token, a key or words of a stream.
//
// Thread-safety: all functions may be called from any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace surtitle {

enum class LogLevel { kDebug, kInfo, kWarning, kError, kCritical, kOff };
std::optional<LogLevel> log_level_by_name(std::string_view name);  // "debug" ... "error", "off"
std::string_view name(LogLevel level);

struct LogField {
  LogField(std::string_view key, std::string_view text);
  LogField(std::string_view key, const std::string& text) : LogField(key, std::string_view(text)) {}
  LogField(std::string_view key, const char* text) : LogField(key, std::string_view(text)) {}
  LogField(std::string_view key, std::int64_t number);
  LogField(std::string_view key, int number) : LogField(key, std::int64_t{number}) {}
  LogField(std::string_view key, double number);

  std::string name;
  std::string json;
};

using LogFields = std::vector<LogField>;

// Logs an event. `message`: one sentence that names the event; values belong in fields.
void log(LogLevel level, std::string_view message, const LogFields& fields = {});

// Logs a line that no log level suppresses, for actions on the daemon from outside.
void log_at_any_level(LogLevel level, std::string_view message, const LogFields& fields = {});

enum class LogFormat { kText, kJson };
// Sets the format and the level of the whole process, including spdlog's own lines.
void log_to_stderr(LogFormat format, LogLevel level);
void set_log_level(LogLevel level);

}  // namespace surtitle
