// Writes the translation of a stream to files of subtitles at its end.
//
// Thread-safety: none; one owner.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "daemon/channels/transcript.h"

namespace surtitle {

class SubtitleFiles {
 public:
  // Declares --vtt and --srt. REQUIRES: this outlives `command`.
  void add_options(CLI::App& command);

  bool requested() const { return !vtt_.empty() || !srt_.empty(); }
  // Checks that the files can be written, without changing them. Throws std::runtime_error, one
  // sentence, if not.
  void check() const;

  // Adds a message of the daemon. REQUIRES: the stream was started with an echo.
  void add(const protocol::ServerMessage& message) { transcript_.add(message); }
  // Writes the requested files. Throws std::runtime_error, one sentence, if one cannot be written.
  void write() const;

 private:
  std::string vtt_;  // empty: none
  std::string srt_;
  Transcript transcript_{static_cast<std::size_t>(-1)};
};

}  // namespace surtitle
