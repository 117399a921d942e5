#include "daemon/terminal/subtitle_printer.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "daemon/base/text.h"
#include "model/text/unspaced.h"
#include "model/text/words.h"

namespace surtitle {
namespace {

constexpr std::string_view kDim = "\x1b[2m";
constexpr std::string_view kBold = "\x1b[1m";
constexpr std::string_view kNormal = "\x1b[0m";
constexpr std::string_view kClearBelow = "\x1b[J";

ScreenSize screen_size(std::FILE* out) {
  winsize size{};
  if (ioctl(fileno(out), TIOCGWINSZ, &size) != 0 || size.ws_col < 2 || size.ws_row < 2) {
    return {};
  }
  return {size.ws_col, size.ws_row};
}

std::vector<std::string> styled_lines(std::string_view text, std::string_view style, int columns) {
  std::vector<std::string> lines = wrap(text, columns);
  for (std::string& line : lines) {
    line.insert(0, style).append(kNormal);
  }
  return lines;
}

}  // namespace

std::vector<std::string> wrap(std::string_view text, int columns) {
  std::vector<std::string> lines;
  const char* end = text.data();  // of the word before
  for (const std::string_view word : split_words(text)) {
    const std::string space = word.data() == end ? "" : " ";
    if (lines.empty() || display_width(lines.back() + space) + display_width(word) > columns) {
      lines.emplace_back(word);
    } else {
      lines.back().append(space).append(word);
    }
    end = word.data() + word.size();
  }
  return lines;
}

SubtitlePrinter::Style SubtitlePrinter::style_of(std::FILE* out) {
  const char* terminal = std::getenv("TERM");
  return isatty(fileno(out)) != 0 && terminal != nullptr && std::string_view(terminal) != "dumb"
             ? Style::kScreen
             : Style::kPlain;
}

void SubtitlePrinter::source(std::string_view text) {
  if (style_ == Style::kScreen) {
    for (const std::string_view word : split_words(text)) {
      source_.emplace_back(word);
    }
    draw(/*whole=*/false);
  }
}

void SubtitlePrinter::write(const protocol::Write& write) {
  target_ += write.text;
  if (style_ == Style::kScreen) {
    draw(/*whole=*/false);
  } else {
    put(write.text);
  }
}

void SubtitlePrinter::sentence(const protocol::Sentence& sentence) {
  target_.clear();
  if (style_ == Style::kPlain) {
    put("\n");
    return;
  }
  const std::size_t words = std::min(split_words(sentence.source).size(), source_.size());
  std::vector<std::string> later(source_.begin() + static_cast<std::ptrdiff_t>(words),
                                 source_.end());
  source_ = {sentence.source};
  target_ = sentence.target;
  draw(/*whole=*/true);
  put("\n\n");
  drawn_rows_ = 0;
  source_ = std::move(later);
  target_.clear();
  if (!source_.empty()) {
    draw(/*whole=*/false);
  }
}

void SubtitlePrinter::finish() {
  if (style_ == Style::kScreen ? drawn_rows_ > 0 : !target_.empty()) {
    put("\n");
  }
  source_.clear();
  target_.clear();
  drawn_rows_ = 0;
}

// Draws the sentence over its last drawing. Lines that scroll off the screen could not be
// overwritten, so only the last lines that fit are drawn unless `whole`.
void SubtitlePrinter::draw(bool whole) {
  const ScreenSize screen = screen_size(out_);
  std::vector<std::string> lines = styled_lines(join_words(source_), kDim, screen.columns - 1);
  for (std::string& line : styled_lines(target_, kBold, screen.columns - 1)) {
    lines.push_back(std::move(line));
  }
  const auto most = static_cast<std::size_t>(screen.rows - 1);
  if (!whole && lines.size() > most) {
    lines.erase(lines.begin(), lines.end() - static_cast<std::ptrdiff_t>(most));
  }
  std::string text = "\r";
  if (drawn_rows_ > 1) {
    text += "\x1b[" + std::to_string(drawn_rows_ - 1) + "A";
  }
  text += kClearBelow;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    text += (i == 0 ? "" : "\n") + lines[i];
  }
  put(text);
  drawn_rows_ = static_cast<int>(lines.size());
}

void SubtitlePrinter::put(std::string_view text) {
  if (error_ == 0 &&
      (std::fwrite(text.data(), 1, text.size(), out_) != text.size() || std::fflush(out_) != 0)) {
    error_ = errno;
  }
}

}  // namespace surtitle
