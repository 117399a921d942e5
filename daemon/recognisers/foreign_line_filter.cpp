#include "daemon/recognisers/foreign_line_filter.h"

#include <utility>

#include "daemon/recognisers/foreign_lines.h"

namespace surtitle {
namespace {

constexpr std::size_t kMaxHeld = 1000;  // bytes

}  // namespace

void ForeignLineFilter::filter(char c, std::string& out) {
  const bool follows_removed = std::exchange(removed_return_, false);
  if (c == '\n' || c == '\r') {
    const bool removed = (follows_removed && c == '\n') || end_line(out);
    if (!removed) {
      out += c;
    }
    removed_return_ = removed && c == '\r';
    number_ += c == '\n' ? 1 : 0;
  } else if (state_ == State::kText) {
    out += c;
  } else if (line_.size() < kMaxHeld) {
    line_ += c;
    decide(out);
  } else if (state_ == State::kBegin) {
    state_ = State::kText;
    out += std::exchange(line_, {}) + c;
  }
}

void ForeignLineFilter::finish(std::string& out) { end_line(out); }

// Decides about the line by its beginning, if it can be.
void ForeignLineFilter::decide(std::string& out) {
  if (state_ != State::kBegin) {
    return;
  }
  const Match message = messages_.match(line_);
  if (message == Match::kYes) {
    state_ = State::kMessage;
  } else if (match_banner(line_) == Match::kYes) {
    state_ = State::kBanner;
  } else if (message == Match::kNo && !may_become_foreign(line_)) {
    state_ = State::kText;
    out += std::exchange(line_, {});
  }
}

// Returns whether the line is removed.
bool ForeignLineFilter::end_line(std::string& out) {
  const std::string line = std::exchange(line_, {});
  const State state = std::exchange(state_, State::kBegin);
  const bool is_message =
      state == State::kMessage || (state == State::kBegin && messages_.is_message(line));
  messages_.end_line(line, is_message);
  if (is_message) {
    on_message_(line, number_);
    return true;
  }
  if (state == State::kBanner || is_rule(line)) {
    return true;
  }
  out += line;
  return false;
}

}  // namespace surtitle
