// Prints a translation while it grows.
//
// On a terminal, the source words are dim and the translation below them is bold, both wrapped.
// Otherwise only the translation is printed, one line per sentence.
//
// Thread-safety: none; one owner.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/protocol/protocol.h"

namespace surtitle {

struct ScreenSize {
  int columns = 80;
  int rows = 24;
};

// Returns lines of at most `columns` columns. A longer word is on a line of its own.
std::vector<std::string> wrap(std::string_view text, int columns);

class SubtitlePrinter {
 public:
  enum class Style { kPlain, kScreen };

  // Returns kScreen if `out` is a terminal that can move its cursor.
  static Style style_of(std::FILE* out);

  SubtitlePrinter(std::FILE* out, Style style) : out_(out), style_(style) {}

  // Adds source words of the current sentence or a later one.
  void source(std::string_view text);
  void write(const protocol::Write& write);
  void sentence(const protocol::Sentence& sentence);
  // Ends the output with a newline if a sentence is open.
  void finish();

  // Returns the errno of a failed write, such as EPIPE if the reader has closed it, or 0.
  int error() const noexcept { return error_; }

 private:
  void draw(bool whole);
  void put(std::string_view text);

  std::FILE* const out_;
  const Style style_;
  std::vector<std::string> source_;  // words of the current sentence and of later ones
  std::string target_;               // of the current sentence
  int drawn_rows_ = 0;
  int error_ = 0;
};

}  // namespace surtitle
