// Base class of recognisers whose output is lines.
//
// Thread-safety: none; one owner.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "daemon/recognisers/foreign_lines.h"
#include "daemon/recognisers/recogniser.h"
#include "daemon/recognisers/skipped_input.h"

namespace surtitle {

class LineRecogniser : public Recogniser {
 public:
  static constexpr std::size_t kMaxLength = std::size_t{1} << 20U;  // bytes of a line

  // `has_foreign_lines`: lines that the recogniser's own program prints around its output, and
  // messages of libraries, are left out. `line_ends`: characters that end a line; CRs before LF are
  // one end with it.
  LineRecogniser(const RecogniserSettings& settings, MessageBuilder& builder,
                 bool has_foreign_lines = true, std::string_view line_ends = "\n")
      : input_(settings.input),
        has_foreign_lines_(has_foreign_lines),
        line_ends_(line_ends),
        skipped_(settings),
        builder_(builder) {}

  void feed(std::string_view bytes) final;
  void finish() final;

 protected:
  // Called with each line, without its end. An implementation throws std::runtime_error, one
  // sentence without file and line, if the line is not of the format. The line is then skipped.
  virtual void on_line(std::string_view line) = 0;
  // Returns whether the line is of the format even if it looks like a message of a library.
  virtual bool is_own(std::string_view /*line*/) const { return false; }
  // Called when the recogniser's own program is ready for further speech.
  virtual void on_prompt() {}
  // Called after the last line.
  virtual void on_end() {}

  MessageBuilder& builder() { return builder_; }
  // Returns the line that has not ended yet.
  const std::string& incomplete() const { return line_; }

 private:
  void end_line();
  void read(std::string_view line);
  void skip(std::string_view kind, const std::string& what);

  const std::string input_;
  const bool has_foreign_lines_;
  const std::string line_ends_;
  MessageLines messages_;
  SkippedInput skipped_;
  MessageBuilder& builder_;
  std::string line_;       // incomplete
  bool too_long_ = false;  // line_ is, and is left out
  int returns_ = 0;        // CRs since the line before, the one that ended it included
  int number_ = 1;         // of line_
};

}  // namespace surtitle
