#include "daemon/streams/stream_log.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>
#include <utility>

namespace surtitle {

StreamLog::StreamLog(LogWriter& writer, std::string file_name)
    : writer_(writer), file_(LogWriter::open(std::move(file_name))) {}

void StreamLog::append(const std::vector<std::string>& lines) {
  for (const std::string& line : lines) {
    writer_.write(file_, line);
  }
}

std::vector<std::string> log_lines(SessionOutput& output) {
  std::vector<std::string> lines;
  if (output.source_form) {
    lines.push_back(to_json(stream_log::FormChange{*output.source_form}));
  }
  auto end = output.ends.begin();
  for (std::size_t i = 0; i <= output.messages.size(); ++i) {
    for (; end != output.ends.end() && end->messages <= i; ++end) {
      lines.push_back(to_json(stream_log::SentenceEnd{end->sentence, end->time}));
    }
    if (i < output.messages.size() && stream_log::is_logged(output.messages[i].message)) {
      Outgoing& outgoing = output.messages[i];
      outgoing.text = std::make_shared<const std::string>(to_json(outgoing.message));
      lines.push_back(*outgoing.text);
    }
  }
  return lines;
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
  constexpr std::size_t kOfStream = 10;  // "s-" and eight digits
  std::string time = head.started.substr(0, kToTheSecond);
  std::replace(time.begin(), time.end(), ':', '-');
  return time + "Z-" + (head.channel ? *head.channel + "-" : "") +
         head.stream.substr(0, kOfStream) + ".jsonl";
}

}  // namespace surtitle
