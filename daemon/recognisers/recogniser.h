// What makes messages of the protocol of what a speech recogniser says, whatever its format.
//
// One recogniser is one stream from its first byte to its last. The bytes come in pieces of any
// size; how they are cut makes no difference to what is heard.
//
// Thread-safety: none; one owner.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "daemon/recognisers/message_builder.h"

namespace surtitle {

struct RecogniserSettings {
  std::string input = "standard input";  // what errors call the place that the bytes come from
  // Told, in a sentence, what somebody should know but nothing need be done about.
  std::function<void(const std::string&)> on_notice = [](const std::string& /*unused*/) {};
};

class Recogniser {
 public:
  Recogniser() = default;
  Recogniser(const Recogniser&) = delete;
  Recogniser& operator=(const Recogniser&) = delete;
  virtual ~Recogniser() = default;

  // Tells what `bytes` complete. Throws std::runtime_error, one sentence with the place and what is
  // allowed; what came before it is heard, and finish() is what may follow.
  virtual void feed(std::string_view bytes) = 0;

  // Nothing came for a moment: a program that writes as it goes has written what it has to say.
  virtual void pause() {}

  // The input is over: what was heard but not yet for good is told. Throws as feed() does where the
  // input ends in the middle of something.
  virtual void finish() = 0;
};

}  // namespace surtitle
