// Recognises the last final text of a recogniser when the recogniser sends it again.
//
// A final text that is equal in words and time is the same audio. A hypothesis that is equal to the
// final text before it may be its echo; the next message shows if it was said twice.
//
// Thread-safety: none; one owner.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace surtitle {

class RepeatedText {
 public:
  // A final text was sent.
  void on_final(std::string_view text, std::optional<double> time) {
    text_ = text;
    time_ = time;
  }

  bool is_same_final(std::string_view text, std::optional<double> time) const {
    return time && time == time_ && !text.empty() && text == text_;
  }
  bool is_echo(std::string_view hypothesis) const {
    return !hypothesis.empty() && hypothesis == text_;
  }

 private:
  std::string text_;
  std::optional<double> time_;
};

}  // namespace surtitle
