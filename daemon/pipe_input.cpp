#include "daemon/pipe_input.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "daemon/logged_line.h"
#include "model/utf8.h"

namespace surtitle {
namespace {

// A byte of text takes at most six in JSON (\u001F), the rest of the message less than 100.
std::size_t text_bytes(int message_bytes) {
  return static_cast<std::size_t>(std::max(1, (message_bytes - 100) / 6));
}

bool is_json(std::string_view line) {
  const std::size_t first = line.find_first_not_of(" \t\r");
  return first != std::string_view::npos && line[first] == '{';
}

}  // namespace

PipeInput::PipeInput(PipeFormat format, int message_bytes, int message_words)
    : format_(format), text_bytes_(text_bytes(message_bytes)), text_words_(message_words) {}

void PipeInput::feed(std::string_view bytes, Messages& messages) {
  if (format_ == PipeFormat::kText) {
    splitter_.feed(bytes, words_);
    send_words(messages);
    return;
  }
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    line_ += bytes.substr(0, end);
    if (line_.size() > kLongestLine) {
      throw std::runtime_error("standard input:" + std::to_string(line_number_) +
                               ": the line is longer than " + std::to_string(kLongestLine) +
                               " bytes");
    }
    if (end == std::string_view::npos) {
      return;
    }
    take_line(messages);
    bytes.remove_prefix(end + 1);
  }
}

void PipeInput::finish(Messages& messages) {
  if (!line_.empty()) {
    take_line(messages);
  }
  splitter_.finish(words_);
  send_words(messages);
}

void PipeInput::take_line(Messages& messages) {
  const std::string line = std::exchange(line_, {});
  const std::string where = "standard input:" + std::to_string(line_number_++);
  if (!is_json(line)) {
    const std::size_t words_before = words_.size();
    splitter_.feed(line + " ", words_);
    if (words_.size() > words_before) {
      said_ = true;
    } else if (std::exchange(said_, false)) {
      words_.emplace_back();
    }
    send_words(messages);
    return;
  }
  said_ = true;
  LoggedLine logged = parse_logged_line(line, where);
  if (logged.final) {
    messages.emplace_back(protocol::Hypothesis{std::move(logged.text), *logged.final});
  } else {
    messages.emplace_back(protocol::Source{++seq_, std::move(logged.text), logged.time});
  }
}

// Words go out together as far as one message takes them.
void PipeInput::send_words(Messages& messages) {
  std::string text;
  int count = 0;  // words in it
  for (const std::string& word : std::exchange(words_, {})) {
    const bool full = count >= text_words_ || text.size() + 1 + word.size() > text_bytes_;
    if (word.empty() || (!text.empty() && full)) {
      add_source(std::exchange(text, {}), messages);
      count = 0;
    }
    if (word.empty()) {
      messages.emplace_back(protocol::EndSentence{});
    } else {
      text += (text.empty() ? "" : " ") + word;
      ++count;
    }
  }
  add_source(std::move(text), messages);
}

void PipeInput::add_source(std::string text, Messages& messages) {
  if (!text.empty()) {
    messages.emplace_back(protocol::Source{++seq_, std::move(text), std::nullopt});
  }
}

}  // namespace surtitle
