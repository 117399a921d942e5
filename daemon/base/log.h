// The daemon's own log, on stderr: a line for each event, as text or as JSON, with fields that
// programs find by name.
//
// text: 2026-11-22T09:00:00.123+00:00 info resumed stream=s-0123abcd event=17
// json: {"time":"2026-11-22T09:00:00.123+00:00","level":"info","message":"resumed",
//        "stream":"s-0123abcd","event":17}
// A line about a stream has its name in the field `stream`, and its channel, where it has one, in
// `channel`. No field holds a token, a key or what was said.
//
// Thread-safety: full.
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

// `message`: one sentence, without the fields' values.
void log(LogLevel level, std::string_view message, const LogFields& fields = {});

// A line that no level hides: what was done to the daemon from outside.
void log_at_any_level(LogLevel level, std::string_view message, const LogFields& fields = {});

enum class LogFormat { kText, kJson };
// From now on, the whole process; also for what is said by spdlog itself.
void log_to_stderr(LogFormat format, LogLevel level);
void set_log_level(LogLevel level);

}  // namespace surtitle
