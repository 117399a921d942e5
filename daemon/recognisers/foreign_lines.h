// Lines that are not of a recogniser's format: what its own programs print around it, and messages
// of libraries in the same output.
//
// Thread-safety: all functions may be called from any thread.
#pragma once

#include <string_view>

namespace surtitle {

// Returns whether a recogniser's own program prints the line, as a banner, a prompt or at its end:
// "####", "Press Ctrl+C to stop the recording", "READY....", "Done".
bool is_prompt(std::string_view line);

// Returns whether the line is a message of a library, of a program or of Python: "ALSA lib
// pcm.c:8568:(snd_pcm_recover) underrun occurred", "INFO: cmn.c(133): ..", "whisper_init: ..".
bool is_log_message(std::string_view line);

// Returns whether `begin` may be the beginning of such a line, of either kind.
bool may_become_foreign(std::string_view begin);

}  // namespace surtitle
