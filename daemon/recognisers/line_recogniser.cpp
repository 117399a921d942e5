#include "daemon/recognisers/line_recogniser.h"

#include <stdexcept>
#include <utility>

#include "daemon/base/terminal_text.h"
#include "daemon/base/text.h"
#include "daemon/recognisers/foreign_lines.h"

namespace surtitle {

void LineRecogniser::feed(std::string_view bytes) {
  while (!bytes.empty()) {
    if (returns_ > 0 && (bytes.front() == '\n' || bytes.front() == '\r')) {
      returns_ = bytes.front() == '\r' ? returns_ + 1 : 0;
      bytes.remove_prefix(1);
      continue;
    }
    for (; returns_ > 1; --returns_) {
      end_line();  // an empty one
    }
    returns_ = 0;
    const std::size_t end = bytes.find_first_of(line_ends_);
    line_ += bytes.substr(0, end);
    if (line_.size() > kMaxLength) {
      line_.clear();
      too_long_ = true;
    }
    if (end == std::string_view::npos) {
      return;
    }
    returns_ = bytes[end] == '\r' ? 1 : 0;
    bytes.remove_prefix(end + 1);
    end_line();
  }
}

void LineRecogniser::finish() {
  if (!line_.empty() || too_long_) {
    end_line();
  }
  on_end();
  builder_.end_word();
  builder_.finalize();
  skipped_.finish();
}

void LineRecogniser::end_line() {
  const std::string drawn = std::exchange(line_, {});
  if (std::exchange(too_long_, false)) {
    skip("too long", "the line is longer than " + std::to_string(kMaxLength) + " bytes");
  } else {
    read(last_drawn(drawn));
  }
  ++number_;
}

void LineRecogniser::read(std::string_view line) {
  const bool is_message = has_foreign_lines_ && !is_own(line) && messages_.is_message(line);
  messages_.end_line(line, is_message);
  if (is_message) {
    skip(SkippedInput::kMessage, "the line " + in_quotes(line) + " is a message of a library");
  } else if (has_foreign_lines_ && is_prompt(line)) {
    on_prompt();
  } else {
    try {
      on_line(line);
      if (line.find_first_not_of(" \t") != line.npos) {
        skipped_.on_readable();
      }
    } catch (const std::runtime_error& error) {
      skip("not of the format", error.what());
    }
  }
}

void LineRecogniser::skip(std::string_view kind, const std::string& what) {
  skipped_.skip(kind, input_ + ":" + std::to_string(number_) + ": " + what);
}

}  // namespace surtitle
