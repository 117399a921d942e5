#include "daemon/recognisers/terminal_text.h"

#include <algorithm>

#include "model/text/ascii.h"

namespace surtitle {
namespace {

constexpr std::size_t kMaxParameters = 64;

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == '\x7f'; }

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
  if (c == '\x1b') {
    state_ = State::kEscape;
  } else if (!is_control(c) || is_space(c)) {
    out += c;
  } else {
    return c == '\0' || c == '\a' || c == '\b';
  }
  return true;
}

void TerminalFilter::end_sequence(char last, std::string& out) {
  state_ = State::kText;
  const bool erases_line = last == 'K' && (parameters_ == "1" || parameters_ == "2");
  if (erases_line || last == 'G' || last == 'H' || last == 'J') {
    out += '\r';
  }
}

std::string_view last_drawn(std::string_view line) {
  while (line.ends_with('\r')) {
    line.remove_suffix(1);
  }
  if (line.find('\r') == std::string_view::npos) {
    return line;
  }
  while (!line.empty() && is_space(line.back())) {
    line.remove_suffix(1);
  }
  return line.substr(line.rfind('\r') + 1);
}

std::string shown_text(std::string_view text) {
  if (std::none_of(text.begin(), text.end(), is_control)) {
    return std::string(text);
  }
  TerminalFilter filter;
  std::string visible;
  for (const char c : text) {
    filter.filter(c, visible);
  }
  std::string shown;
  for (std::string_view rest = visible; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    shown += last_drawn(line);
    shown += rest.substr(end, 1);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return shown;
}

}  // namespace surtitle
