// Lines that are not of a recogniser's format: what its own programs print around it, and messages
// of libraries in the same output.
//
// Thread-safety: all functions may be called from any thread.
#pragma once

#include <string_view>

#include "daemon/recognisers/formats.h"

namespace surtitle {

// Returns whether a recogniser's own program prints the line, as a banner, a prompt or at its end:
// "####", "Press Ctrl+C to stop the recording", "READY....", "Done".
bool is_prompt(std::string_view line);

// Returns whether the line is a message of a library, of a program or of Python: "ALSA lib
// pcm.c:8568:(snd_pcm_recover) underrun occurred", "INFO: cmn.c(133): ..", "whisper_init: ..".
bool is_log_message(std::string_view line);

// Returns whether the line is only a rule, such as "####".
bool is_rule(std::string_view line);

// Compares the beginning of a line with such messages, and with banners that no text contains.
// kYes: all lines with this beginning are foreign.
Match match_log_message(std::string_view begin);
Match match_banner(std::string_view begin);

// Returns whether `begin` may be the beginning of a line of any of these kinds.
bool may_become_foreign(std::string_view begin);

}  // namespace surtitle
