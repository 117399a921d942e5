// Base class of recognisers whose output is lines.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "daemon/recognisers/recogniser.h"

namespace surtitle {

class LineRecogniser : public Recogniser {
 public:
  static constexpr std::size_t kMaxLength = std::size_t{1} << 20U;  // bytes of a line

  LineRecogniser(const RecogniserSettings& settings, MessageBuilder& builder)
      : input_(settings.input), builder_(builder) {}

  void feed(std::string_view bytes) final;
  void finish() final;

 protected:
  // Called with each line, without its end. `where` is "INPUT:LINE", for errors.
  virtual void on_line(std::string_view line, const std::string& where) = 0;
  // Called after the last line.
  virtual void over() {}

  MessageBuilder& builder() { return builder_; }

 private:
  void end_line();

  const std::string input_;
  MessageBuilder& builder_;
  std::string line_;  // incomplete
  int number_ = 1;    // of line_
};

}  // namespace surtitle
