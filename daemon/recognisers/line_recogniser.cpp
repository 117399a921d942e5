#include "daemon/recognisers/line_recogniser.h"

#include <stdexcept>
#include <utility>

namespace surtitle {

void LineRecogniser::feed(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    line_ += bytes.substr(0, end);
    if (line_.size() > kMaxLength) {
      line_.clear();
      throw std::runtime_error(input_ + ":" + std::to_string(number_) +
                               ": the line is longer than " + std::to_string(kMaxLength) +
                               " bytes");
    }
    if (end == std::string_view::npos) {
      return;
    }
    bytes.remove_prefix(end + 1);
    end_line();
  }
}

void LineRecogniser::finish() {
  if (!line_.empty()) {
    end_line();
  }
  over();
  builder_.end_word();
  builder_.finalize();
}

void LineRecogniser::end_line() {
  std::string line = std::exchange(line_, {});
  if (line.ends_with('\r')) {
    line.pop_back();
  }
  on_line(line, input_ + ":" + std::to_string(number_++));
}

}  // namespace surtitle
