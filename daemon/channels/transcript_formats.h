// A transcript as a file: WebVTT, SRT, plain text or JSON.
//
// Times are the source's own. A cue begins when the last source word was said that its first
// target word was made from, and ends when the next one begins, but not later than what its text
// takes to read after its own last word. Cues never overlap; each has at most two lines of 42
// characters. With both languages a cue is a whole sentence, its source above its translation.
//
// Thread-safety: pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/channels/transcript.h"

namespace surtitle {

enum class TranscriptFormat { kWebVtt, kSrt, kText, kJson };

// "vtt", "srt", "txt" or "json".
std::optional<TranscriptFormat> transcript_format_by_extension(std::string_view extension);
std::string_view content_type(TranscriptFormat format);

struct TranscriptChoice {
  TranscriptFormat format = TranscriptFormat::kWebVtt;
  std::string track = {};  // "" the first
  bool bilingual = false;
};

// What is shown from `begin` to `end` seconds.
struct Cue {
  double begin = 0;
  double end = 0;
  std::vector<std::string> lines;
};
std::vector<Cue> cues_of(const Transcript& transcript, const TranscriptChoice& choice);

// All sentences that the track has begun, the open one as far as it is written.
std::string write_transcript(const Transcript& transcript, const TranscriptChoice& choice);

}  // namespace surtitle
