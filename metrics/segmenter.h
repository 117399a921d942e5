// Divides the translation of a whole recording at the sentences of its reference.
//
// The words are aligned as by OmniSTEval's SoftSegmenter (Polak et al. 2025), without a tokeniser:
// the alignment has the largest sum of similarities, which is the share of characters that two
// words have in common. Words that are aligned with none belong to the more similar neighbour.
//
// Thread-safety: all functions may be called from any thread.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "metrics/instance_log.h"

namespace surtitle {

// A sentence of a recording. Times are milliseconds since the recording began.
struct ReferenceSegment {
  double begin = 0;
  double duration = 0;
  std::string reference;
};

// A recording's translation. The times are those of the words between white space.
struct RecordedTranslation {
  std::string recording;  // its name
  std::string text;
  std::vector<double> delays;   // ms of source that had been heard when the word was written
  std::vector<double> elapsed;  // ms at which the word really appeared; empty: unknown
};

// Returns an instance for each segment, in order, from index `first` on. Their times begin with the
// sentence. Throws std::invalid_argument, one sentence, if the translation has not one time for
// each word, or if the references have no words.
std::vector<Instance> resegment(std::span<const ReferenceSegment> segments,
                                const RecordedTranslation& translation, std::size_t first = 0);

// Returns the segment of each word of the translation. The result is shorter than `words` if words
// at its beginning belong to no segment: entry k is that of word words.size() - result.size() + k.
// Such words are punctuation before a reference that begins with a word, or the reverse; OmniSTEval
// leaves them out, too. REQUIRES: the references have a word.
std::vector<std::size_t> segment_words(std::span<const std::string> references,
                                       std::span<const std::string> words);

}  // namespace surtitle
