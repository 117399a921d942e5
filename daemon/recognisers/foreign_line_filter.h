// Removes messages of libraries and banners of recognisers' programs from plain text.
//
// The words of a line pass as they arrive. Only a beginning that may become such a message is held
// back, until it is decided; words of speech are decided by their first characters.
//
// Thread-safety: none; one owner.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "daemon/recognisers/foreign_lines.h"

namespace surtitle {

class ForeignLineFilter {
 public:
  // `on_message`: receives each message that is removed, with the number of its line. Banners and
  // horizontal rules are removed without a report.
  explicit ForeignLineFilter(std::function<void(const std::string& line, int number)> on_message)
      : on_message_(std::move(on_message)) {}

  // Appends to `out` what is text.
  void filter(char c, std::string& out);
  // Appends what is held back, at the end of the input.
  void finish(std::string& out);

  // Returns what is held back of the current line.
  std::string_view held() const { return state_ == State::kBegin ? line_ : std::string_view(); }

 private:
  enum class State { kBegin, kText, kMessage, kBanner };

  void decide(std::string& out);
  bool end_line(std::string& out);

  const std::function<void(const std::string&, int)> on_message_;
  State state_ = State::kBegin;
  std::string line_;  // held back, or the beginning of the message
  MessageLines messages_;
  bool removed_return_ = false;  // the last character was the carriage return of such a line
  int number_ = 1;
};

}  // namespace surtitle
