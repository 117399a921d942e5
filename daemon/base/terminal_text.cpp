#include "daemon/base/terminal_text.h"

#include <algorithm>
#include <utility>

#include "model/text/ascii.h"

namespace surtitle {
namespace {

constexpr std::size_t kMaxParameters = 64;
constexpr char kC1 = '\xC2';

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == '\x7f'; }

// Returns whether the text may have a control character. C1 begins with kC1 in UTF-8.
bool may_have_controls(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) { return is_control(c) || c == kC1; });
}

// Removes the characters before backspaces.
std::string without_backspaces(std::string_view line) {
  std::string shown;
  for (const char c : line) {
    if (c == '\b') {
      remove_last_character(shown);
    } else {
      shown += c;
    }
  }
  return shown;
}

// Returns the text with each of its lines converted.
template <class Convert>
std::string by_line(std::string_view text, const Convert& convert) {
  std::string converted;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    converted += convert(text.substr(0, end));
    converted += text.substr(end, 1);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return converted;
}

std::string filtered(std::string_view text) {
  TerminalFilter filter;
  std::string visible;
  for (const char c : text) {
    filter.filter(c, visible);
  }
  filter.finish(visible);
  return visible;
}

}  // namespace

bool TerminalFilter::filter(char c, std::string& out) {
  switch (state_) {
    case State::kText:
      return filter_text(c, out);
    case State::kEscape:
      if (c == '[') {
        parameters_.clear();
        state_ = State::kSequence;
      } else if (c == ']' || c == 'P' || c == 'X' || c == '^' || c == '_') {
        state_ = State::kString;
      } else if (c >= ' ' && c <= '/') {
        return true;  // the last character of the sequence follows
      } else {
        state_ = State::kText;
        return is_control(c) ? filter_text(c, out) : true;
      }
      return true;
    case State::kSequence:
      if (c >= '@' && c <= '~') {
        end_sequence(c, out);
      } else if (c >= ' ' && c <= '?' && parameters_.size() < kMaxParameters) {
        parameters_ += c;
      } else {
        state_ = State::kText;
        return filter_text(c, out);
      }
      return true;
    case State::kString:
      if (c == '\n') {
        state_ = State::kText;
        return filter_text(c, out);
      }
      state_ = c == '\a' ? State::kText : c == '\x1b' ? State::kStringEscape : state_;
      return true;
    case State::kStringEscape:
      state_ = State::kText;
      return c == '\\' || filter_text(c, out);
  }
  return true;
}

bool TerminalFilter::filter_text(char c, std::string& out) {
  if (std::exchange(held_, false)) {
    return filter_second_byte(c, out);
  }
  if (c == '\x1b') {
    state_ = State::kEscape;
  } else if (c == kC1) {
    held_ = true;
  } else if (!is_control(c) || is_space(c) || c == '\b') {
    out += c;
  } else {
    return c == '\0' || c == '\a';
  }
  return true;
}

// U+0085 ends a line, and U+009B begins a sequence. The others are left out: in text that was
// decoded wrongly, they take the place of letters.
bool TerminalFilter::filter_second_byte(char c, std::string& out) {
  const auto byte = static_cast<unsigned char>(c);
  if (byte < 0x80 || byte >= 0xA0) {
    out += kC1;
    return byte < 0x80 ? filter_text(c, out) : (out += c, true);
  }
  if (c == '\x85') {
    out += '\n';
  } else if (c == '\x9B') {
    parameters_.clear();
    state_ = State::kSequence;
  }
  return true;
}

void TerminalFilter::finish(std::string& out) {
  if (std::exchange(held_, false)) {
    out += kC1;
  }
}

void TerminalFilter::end_sequence(char last, std::string& out) {
  state_ = State::kText;
  const bool erases_line = last == 'K' && (parameters_ == "1" || parameters_ == "2");
  if (erases_line || last == 'G' || last == 'H' || last == 'J') {
    out += '\r';
  }
}

std::string last_drawn(std::string_view line) {
  while (line.ends_with('\r')) {
    line.remove_suffix(1);
  }
  if (line.find('\r') != std::string_view::npos) {
    while (!line.empty() && is_space(line.back())) {
      line.remove_suffix(1);
    }
    line = line.substr(line.rfind('\r') + 1);
  }
  return without_backspaces(line);
}

void remove_last_character(std::string& line) {
  if (line.ends_with('\r')) {
    return;
  }
  while (!line.empty() && (static_cast<unsigned char>(line.back()) & 0xC0U) == 0x80U) {
    line.pop_back();
  }
  if (!line.empty()) {
    line.pop_back();
  }
}

std::string without_controls(std::string_view text) {
  return may_have_controls(text) ? by_line(filtered(text), without_backspaces) : std::string(text);
}

std::string shown_text(std::string_view text) {
  return may_have_controls(text) ? by_line(filtered(text), last_drawn) : std::string(text);
}

}  // namespace surtitle
