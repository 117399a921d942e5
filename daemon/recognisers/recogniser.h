// Interface of the parsers that convert a speech recogniser's output to protocol messages.
//
// An object parses one stream from its first byte to its last. The bytes arrive in pieces of any
// size, and the division into pieces does not change the result.
//
// Thread-safety: none; one owner.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "daemon/recognisers/message_builder.h"

namespace surtitle {

struct RecogniserSettings {
  std::string input = "standard input";  // name of the input in errors
  // Receives notices that need no action, one sentence each.
  std::function<void(const std::string&)> on_hint = [](const std::string& /*unused*/) {};
};

class Recogniser {
 public:
  Recogniser() = default;
  Recogniser(const Recogniser&) = delete;
  Recogniser& operator=(const Recogniser&) = delete;
  virtual ~Recogniser() = default;

  // Parses more bytes and passes what they complete to the message builder. Throws
  // std::runtime_error, one sentence with the place of the error and what is allowed. The output
  // before the error has been passed on. After an exception only finish() may be called.
  virtual void feed(std::string_view bytes) = 0;

  // No bytes have arrived for a moment, so the recogniser's current output is complete.
  virtual void pause() {}

  // Ends the input and finalizes what is not final yet. Throws as feed() does if the input is
  // incomplete.
  virtual void finish() = 0;
};

}  // namespace surtitle
