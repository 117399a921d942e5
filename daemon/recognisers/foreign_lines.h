// Recognises lines that are not of a recogniser's format.
//
// They are lines that its own programs print around it, and messages of libraries in the same
// output.
//
// Thread-safety: all functions may be called from any thread.
#pragma once

#include <string_view>

#include "daemon/recognisers/formats.h"

namespace surtitle {

// Returns whether a recogniser's own program prints the line, as a banner, a prompt or at its end:
// "####", "Press Ctrl+C to stop the recording", "READY....", "Done".
bool is_prompt(std::string_view line);

// Returns whether programs of sherpa-onnx print the line when they begin to record.
bool is_sherpa_onnx_banner(std::string_view line);

// Returns whether the line is a message of a library, of a program or of Python: "ALSA lib
// pcm.c:8568:(snd_pcm_recover) underrun occurred", "INFO: cmn.c(133): ..", "whisper_init: ..".
// MessageLines also recognises their further lines.
bool is_log_message(std::string_view line);

// Returns whether the line is only a horizontal rule, such as "####".
bool is_rule(std::string_view line);

// Compares the beginning of a line with such messages, and with banners that no text contains.
// kYes: all lines with this beginning are foreign. A whole line ends in a newline.
Match match_log_message(std::string_view begin);
Match match_banner(std::string_view begin);

// Compares the beginning of a line with what only PocketSphinx prints: "READY....", "000000003: ",
// "INFO: cmn.c(133): ".
Match match_pocketsphinx(std::string_view begin);

// Compares the beginning of a line with the prefixes that programs print before each message:
// "< ", "data: ", "asr-1  | ", "[10:00:01] ", "INFO:root:". kUndecided: all of `begin` may be one.
// Never kYes.
Match match_line_prefix(std::string_view begin);

// Returns whether `begin` may be the beginning of a line of any of these kinds.
bool may_become_foreign(std::string_view begin);

// Recognises messages of several lines, line by line: the lines of a traceback and its exception,
// the details of FFmpeg, the options of PocketSphinx.
//
// Thread-safety: none; one owner.
class MessageLines {
 public:
  // Compares the beginning of the next line with messages, and with further lines of the last one.
  Match match(std::string_view begin) const;
  // Returns whether the next line, without its end, is a message or a part of one.
  bool is_message(std::string_view line) const;
  // Goes to the next line. `is_message`: this one is a message or a part of one.
  void end_line(std::string_view line, bool is_message);

 private:
  // The lines that may follow as a part of the message.
  enum class Further {
    kNone,
    kIndented,
    kTraceback,  // indented, none yet
    kException,  // indented, or the exception
    kCommand,    // a program's command line, which has further lines
    kOptions,    // "-agc", a tab and a value
  };

  Further further_lines(std::string_view line) const;

  Further further_ = Further::kNone;
};

}  // namespace surtitle
