// Writes transcripts as WebVTT, SRT, plain text, JSON or HTML.
//
// Times are those of the source. A time that contradicts those around it is replaced by the one
// before it, for as few words as possible. A cue begins at the time of the last source word that
// its first target word needed. It ends when there was time to read it and 1.5 s have passed since
// its last word, or when the next cue begins. It has at most two lines of 42 columns.
//
// A bilingual cue is a whole sentence, its source above its translation, with all lines it needs.
//
// The heading of the stream is a comment in WebVTT, lines above the sentences in plain text, and
// two fields of each sentence in JSON. If it changes, it is repeated at the first sentence under
// the new one. SRT has no comments, and no heading.
//
// Cues do not overlap and last from half a second to eight seconds. If they are too dense, later
// ones begin late.
//
// Thread-safety: all functions may be called from any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/channels/transcript.h"

namespace surtitle {

enum class TranscriptFormat { kWebVtt, kSrt, kText, kJson, kHtml };

// Returns the format of "vtt", "srt", "txt", "json" or "html", else nullopt.
std::optional<TranscriptFormat> transcript_format_by_extension(std::string_view extension);
std::string_view content_type(TranscriptFormat format);

struct TranscriptChoice {
  TranscriptFormat format = TranscriptFormat::kWebVtt;
  std::string track = {};  // "" for the first
  bool bilingual = false;
  bool all = false;  // of several streams: JSON names the stream of each sentence
};

// A subtitle that is shown from `begin` to `end`, in seconds.
struct Cue {
  double begin = 0;
  double end = 0;
  std::vector<std::string> lines;
  const protocol::Heading* heading = nullptr;  // that begins with this cue; nullptr: the same
};
// REQUIRES: the transcript outlives the headings of the cues.
std::vector<Cue> cues_of(const Transcript& transcript, const TranscriptChoice& choice);

// Writes streams of a channel into one file, the earliest first: all sentences that the track has
// begun, the last one as far as it is written.
//
// Times go on from those of the first stream: a later stream is as far from it as its first word
// was in the calendar, but not before the end of the one before it.
//
// Thread-safety: none; one owner.
class TranscriptFile {
 public:
  TranscriptFile(std::string channel, TranscriptChoice choice);
  // `transcript` is of the stream `stream`, which started after those that were added before.
  void add(const StreamDescription& stream, const Transcript& transcript);
  std::size_t size() const noexcept { return text_.size(); }
  // Returns the whole file. REQUIRES: called last.
  std::string finish();

 private:
  double offset_of(const StreamDescription& stream, const Transcript& transcript);
  void add_cues(const Transcript& transcript, double offset);
  void write(const Cue& cue);

  const std::string channel_;
  const TranscriptChoice choice_;
  std::string text_;
  std::optional<double> first_origin_;  // of the first stream's times, in seconds since 1970
  double end_ = 0;                      // of the streams so far, in seconds
  std::size_t items_ = 0;               // cues, or sentences of JSON
  std::optional<Cue> last_cue_;         // not written yet, as the next stream may cut it
};

// Returns the file of one stream.
std::string write_transcript(const Transcript& transcript, const TranscriptChoice& choice);

}  // namespace surtitle
