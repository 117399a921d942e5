// Shows a translation while it grows. On a terminal: the source's words dim, below them the
// translation bold, both wrapped. Elsewhere: the translation alone, a line for each sentence.
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

// Lines of at most `columns` characters; a longer word has a line of its own.
std::vector<std::string> wrap(std::string_view text, int columns);

class SubtitlePrinter {
 public:
  enum class Style { kPlain, kScreen };

  // kScreen where `out` is a terminal that can move its cursor.
  static Style style_of(std::FILE* out);

  SubtitlePrinter(std::FILE* out, Style style) : out_(out), style_(style) {}

  // Words were said, of the sentence shown or one after it.
  void source(std::string_view text);
  void write(const protocol::Write& write);
  void sentence(const protocol::Sentence& sentence);
  // Nothing more comes; what is there ends in a newline.
  void finish();

  // Once it cannot be written any more: errno, EPIPE where nobody reads it.
  int error() const noexcept { return error_; }

 private:
  void draw(bool whole);
  void put(std::string_view text);

  std::FILE* const out_;
  const Style style_;
  std::vector<std::string> source_;  // words of the sentence shown and of those after it
  std::string target_;               // of the sentence shown
  int drawn_rows_ = 0;
  int error_ = 0;
};

}  // namespace surtitle
