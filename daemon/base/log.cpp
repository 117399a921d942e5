#include "daemon/base/log.h"

#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <memory>
#include <utility>

#include "daemon/base/json_writer.h"

namespace surtitle {
namespace {

using spdlog::level::level_enum;

constexpr std::array<std::pair<LogLevel, std::string_view>, 6> kLevels{{
    {LogLevel::kDebug, "debug"},
    {LogLevel::kInfo, "info"},
    {LogLevel::kWarning, "warning"},
    {LogLevel::kError, "error"},
    {LogLevel::kCritical, "critical"},
    {LogLevel::kOff, "off"},
}};

level_enum to_spdlog(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return level_enum::debug;
    case LogLevel::kInfo:
      return level_enum::info;
    case LogLevel::kWarning:
      return level_enum::warn;
    case LogLevel::kError:
      return level_enum::err;
    case LogLevel::kCritical:
      return level_enum::critical;
    case LogLevel::kOff:
      break;
  }
  return level_enum::off;
}

// The line that this thread logs at the moment. The sink formats it on the same thread.
struct Line {
  LogLevel level;
  const LogFields& fields;
};
thread_local const Line* line_of_thread = nullptr;

void log_as(level_enum threshold, std::string_view message, const Line& line) {
  const Line* const outer = std::exchange(line_of_thread, &line);
  spdlog::log(threshold, "{}", message);
  line_of_thread = outer;
}

// Replaces control characters, so that text from outside cannot begin a line of its own.
std::string on_one_line(std::string_view text) {
  std::string line(text);
  std::replace_if(
      line.begin(), line.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }, ' ');
  return line;
}

// Returns a value in the text format: without quotes if it is one plain word.
std::string plain(const std::string& json) {
  const bool bare = json.size() > 2 && json.front() == '"' &&
                    std::all_of(json.begin() + 1, json.end() - 1, [](unsigned char c) {
                      return c > ' ' && c < 0x7f && c != '"' && c != '\\' && c != '=';
                    });
  return bare ? json.substr(1, json.size() - 2) : json;
}

class LineFormatter : public spdlog::formatter {
 public:
  explicit LineFormatter(LogFormat format) : format_(format) {}

  void format(const spdlog::details::log_msg& message, spdlog::memory_buf_t& destination) override {
    spdlog::memory_buf_t time;
    time_.format(message, time);
    const std::string_view when(time.data(), time.size());
    const auto own = spdlog::level::to_string_view(message.level);
    const std::string_view level = line_of_thread == nullptr
                                       ? std::string_view(own.data(), own.size())
                                       : name(line_of_thread->level);
    const std::string_view payload(message.payload.data(), message.payload.size());
    const std::string line =
        format_ == LogFormat::kJson ? json(when, level, payload) : text(when, level, payload);
    destination.append(line.data(), line.data() + line.size());
  }

  std::unique_ptr<spdlog::formatter> clone() const override {
    return std::make_unique<LineFormatter>(format_);
  }

 private:
  static std::string json(std::string_view when, std::string_view level, std::string_view payload) {
    JsonWriter writer;
    writer.field("time", when).field("level", level).field("message", payload);
    for (const LogField& field : fields()) {
      writer.raw_field(field.name, field.json);
    }
    return writer.finish() + "\n";
  }

  static std::string text(std::string_view when, std::string_view level, std::string_view payload) {
    std::string line;
    line.append(when).append(" ").append(level).append(" ").append(on_one_line(payload));
    for (const LogField& field : fields()) {
      line.append(" ").append(field.name).append("=").append(plain(field.json));
    }
    return line + "\n";
  }

  static LogFields fields() {
    return line_of_thread == nullptr ? LogFields() : line_of_thread->fields;
  }

  const LogFormat format_;
  spdlog::pattern_formatter time_{"%Y-%m-%dT%H:%M:%S.%e%z", spdlog::pattern_time_type::local, ""};
};

}  // namespace

std::optional<LogLevel> log_level_by_name(std::string_view name) {
  for (const auto& [level, known] : kLevels) {
    if (known == name) {
      return level;
    }
  }
  return std::nullopt;
}

std::string_view name(LogLevel level) { return kLevels.at(static_cast<std::size_t>(level)).second; }

LogField::LogField(std::string_view key, std::string_view text)
    : name(key), json(json_string(text)) {}
LogField::LogField(std::string_view key, std::int64_t number)
    : name(key), json(std::to_string(number)) {}
LogField::LogField(std::string_view key, double number) : name(key), json(json_number(number)) {}

void log(LogLevel level, std::string_view message, const LogFields& fields) {
  log_as(to_spdlog(level), message, {level, fields});
}

void log_at_any_level(LogLevel level, std::string_view message, const LogFields& fields) {
  log_as(level_enum::off, message, {level, fields});  // `off` is above every threshold
}

void log_to_stderr(LogFormat format, LogLevel level) {
  const auto logger = std::make_shared<spdlog::logger>(
      "surtitled", std::make_shared<spdlog::sinks::stderr_sink_mt>());
  logger->set_formatter(std::make_unique<LineFormatter>(format));
  logger->set_level(to_spdlog(level));
  logger->flush_on(level_enum::debug);
  spdlog::set_default_logger(logger);
}

void set_log_level(LogLevel level) { spdlog::set_level(to_spdlog(level)); }

}  // namespace surtitle
