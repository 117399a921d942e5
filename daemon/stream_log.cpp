#include "daemon/stream_log.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>
#include <variant>

namespace surtitle {

StreamLog::StreamLog(LogWriter& writer, const stream_log::Head& head, TimePoint ready)
    : writer_(writer), ready_(ready), file_(LogWriter::open(stream_log_name(head))) {
  writer_.write(file_, to_json(head));
}

void StreamLog::take(const SessionOutput& output) {
  auto end = output.ends.begin();
  for (std::size_t i = 0; i <= output.messages.size(); ++i) {
    for (; end != output.ends.end() && end->messages <= i; ++end) {
      writer_.write(file_, to_json(stream_log::SentenceEnd{end->sentence, end->time}));
    }
    if (i < output.messages.size()) {
      take(output.messages[i].message);
    }
  }
}

void StreamLog::take(const protocol::ServerMessage& message) {
  if (stream_log::is_logged(message)) {
    writer_.write(file_, to_json(message));
  }
}

void StreamLog::take(const stream_log::FormChange& change) {
  writer_.write(file_, to_json(change));
}

void StreamLog::end(protocol::ByeReason reason, int words) {
  writer_.write(
      file_, to_json(stream_log::End{reason, milliseconds_between(ready_, Clock::now()), words}));
  writer_.close(file_);
}

std::string utc_time(std::chrono::system_clock::time_point time) {
  const auto whole = std::chrono::floor<std::chrono::seconds>(time);
  const auto part = std::chrono::floor<std::chrono::milliseconds>(time - whole);
  const std::time_t seconds = std::chrono::system_clock::to_time_t(whole);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 80> text{};
  std::snprintf(text.data(), text.size(), "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ",
                parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min,
                parts.tm_sec, static_cast<int>(part.count()));
  return text.data();
}

std::string stream_log_name(const stream_log::Head& head) {
  constexpr std::size_t kToTheSecond = 19;
  constexpr std::size_t kOfStream = 10;  // "s-" and enough to tell it from others
  std::string time = head.started.substr(0, kToTheSecond);
  std::replace(time.begin(), time.end(), ':', '-');
  return time + "Z-" + (head.channel ? *head.channel + "-" : "") +
         head.stream.substr(0, kOfStream) + ".jsonl";
}

}  // namespace surtitle
