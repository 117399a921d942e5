// Whole recordings without given sentences: the files that describe them, and their instances.
//
// OmniSTEval and SimulStream read the same files. A segmentation is YAML or JSON:
//   - {wav: talk.wav, offset: 2.4, duration: 9.05}     seconds
// It has an entry for each line of the references. Entries of a recording follow each other.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "metrics/segmenter.h"

namespace surtitle {

struct ReferenceRecording {
  std::string name;  // of its file, without folders and extension
  std::vector<ReferenceSegment> segments;
};

// Throws std::runtime_error, one sentence, if a file is invalid or the numbers of lines differ.
std::vector<ReferenceRecording> read_segmentation(const std::filesystem::path& segmentation,
                                                  const std::filesystem::path& references);

// Returns the instances of all recordings. Translations are found by the names of their recordings,
// which may have folders and an extension, unless there is only one of both. Throws
// std::runtime_error if one is missing or has a second one of its name.
std::vector<Instance> resegment(std::span<const ReferenceRecording> recordings,
                                std::span<const RecordedTranslation> translations);

// A recording with its translation, for other programs.
struct ScoringTalk {
  ReferenceRecording reference;
  RecordedTranslation translation;
  double source_length = 0;  // ms
};

// Writes into a folder, which is created:
//   hypothesis.jsonl    a line for each recording, for `omnisteval longform`
//   simulstream.jsonl   the same as SimulStream's log
//   simulstream.yaml    the configuration with which SimulStream scores it
//   segments.yaml       the segmentation
//   references.txt      its references
// Throws std::runtime_error if a file cannot be written.
void write_scoring_files(const std::filesystem::path& folder, std::span<const ScoringTalk> talks);

}  // namespace surtitle
