// Counts and reports the parts of an input that are not of the recogniser's format.
//
// Each kind is reported once, and the count at the end. If nothing can be read at the beginning of
// an input, this is an error.
//
// Thread-safety: none; one owner.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "daemon/recognisers/recogniser.h"

namespace surtitle {

class SkippedInput {
 public:
  // Maximum number of unreadable lines and messages at the beginning of an input.
  static constexpr int kMaxUnreadable = 20;
  // The kind of messages of libraries, which are known and never count as unreadable.
  static constexpr std::string_view kMessage = "message of a library";

  explicit SkippedInput(const RecogniserSettings& settings)
      : input_(settings.input), on_hint_(settings.on_hint) {}

  // A line or message was read.
  void on_readable() { is_readable_ = true; }

  // Skips a line or message. `kind`: the reason in general. `what`: one sentence, such as "standard
  // input:3: the line is not a JSON object". Throws std::runtime_error if kMaxUnreadable lines or
  // messages are unreadable and none was read. Those of kind kMessage do not count.
  void skip(std::string_view kind, const std::string& what);

  // Reports the count. Throws std::runtime_error if nothing was read and something was skipped, not
  // counting messages of kind kMessage.
  void finish();

 private:
  const std::string input_;
  const std::function<void(const std::string&)> on_hint_;
  std::set<std::string> kinds_;  // that were reported
  std::string first_;            // that was skipped, without known messages
  int count_ = 0;
  int unreadable_ = 0;  // of these, without known messages
  bool is_readable_ = false;
};

}  // namespace surtitle
