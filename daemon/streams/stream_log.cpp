#include "daemon/streams/stream_log.h"

#include <algorithm>
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

std::string stream_log_name(const stream_log::Head& head) {
  constexpr std::size_t kToTheSecond = 19;
  constexpr std::size_t kOfStream = 10;  // "s-" and eight digits
  std::string time = head.started.substr(0, kToTheSecond);
  std::replace(time.begin(), time.end(), ':', '-');
  return time + "Z-" + (head.channel ? *head.channel + "-" : "") +
         head.stream.substr(0, kOfStream) + ".jsonl";
}

}  // namespace surtitle
