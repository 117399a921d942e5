// Reads the cues of a file of subtitles, SRT or WebVTT, line by line.
//
// A cue is a line of times and the text up to a blank line or the next cue. In SRT, text after the
// blank line becomes a cue of its own, with the end of the last cue as its time. Tags, positions
// ({\an8}) and entities (&amp;) are resolved. Comments, styles and regions of WebVTT are left out.
// Times of SBV are read as well. A cue that continues the cue before has only the words or lines
// that it adds.
//
// Automatic captions repeat more lines, and these are left out, too. A file is automatic if it is
// marked as such, if a cue of 0.1 s only repeats, or if three cues add lines to the cue before.
//
// Thread-safety: none; one owner.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace surtitle {

struct SubtitleCue {
  double begin = 0;  // seconds
  double end = 0;
  std::vector<std::string> lines;
};

class SubtitleReader {
 public:
  // Adds a line, without its end, which is CR, LF or both. Returns the cue that ends before it, or
  // nullopt.
  std::optional<SubtitleCue> add(std::string_view line);
  // Ends the file. Returns the last cue, or nullopt.
  std::optional<SubtitleCue> finish();

 private:
  std::optional<SubtitleCue> release();
  void add_text(std::string_view line);
  void add_late(std::string_view line);
  std::optional<SubtitleCue> release_late();
  void leave_out_repeated(SubtitleCue& cue);
  bool leave_out_begun(SubtitleCue& cue);

  std::optional<SubtitleCue> cue_;  // whose lines are read
  std::string number_;              // a line of digits, which may belong to the next cue
  std::vector<std::string> late_;   // text behind the blank line of a cue
  bool is_web_vtt_ = false;
  std::vector<std::string> last_lines_;  // of the cue before, with those that it repeats
  double last_end_ = 0;                  // of the cue before
  int rolled_up_ = 0;                    // number of cues that rolled up
  bool in_comment_ = false;              // up to a blank line
  bool is_automatic_ = false;            // captions of YouTube, which repeat lines
};

// Whether a file of subtitles begins like this: "WEBVTT", "00:01,000 --> ..", or a number of a cue
// and its times. More bytes never change yes or no.
enum class SubtitleBeginning { kNo, kUndecided, kYes };
SubtitleBeginning subtitle_beginning(std::string_view begin);

}  // namespace surtitle
