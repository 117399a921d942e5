#include "daemon/evaluation/long_form.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <fstream>
#include <stdexcept>

#include "daemon/base/json_writer.h"
#include "daemon/base/text.h"
#include "daemon/evaluation/evaluation.h"
#include "metrics/simulstream_log.h"
#include "metrics/text.h"

namespace surtitle {
namespace {

constexpr double kMs = 1000;  // of a second

std::string stem_of(const std::string& name) { return std::filesystem::path(name).stem().string(); }

[[noreturn]] void fail(const std::filesystem::path& file, const std::string& what) {
  throw std::runtime_error(file.string() + ": " + what);
}

YAML::Node load(const std::filesystem::path& file) {
  try {
    return YAML::LoadFile(file.string());
  } catch (const YAML::BadFile&) {
    fail(file, "cannot be read");
  } catch (const YAML::Exception& error) {
    fail(file, std::string("not YAML: ") + error.what());
  }
}

void write_file(const std::filesystem::path& file, const std::string& text) {
  std::ofstream out(file, std::ios::binary);
  out << text << std::flush;
  if (!out) {
    fail(file, "cannot be written");
  }
}

std::string hypothesis_line(const ScoringTalk& talk) {
  return JsonWriter()
             .raw_field("source", json_array(std::vector<std::string>{talk.reference.name + ".wav"},
                                             json_string))
             .field("prediction", talk.translation.text)
             .raw_field("delays", json_array(talk.translation.delays))
             .raw_field("elapsed", json_array(talk.translation.elapsed))
             .field("source_length", talk.source_length)
             .finish() +
         "\n";
}

using Name = std::string (*)(const std::string&);

// Returns the only translation with this name, or nullptr if there is none.
const RecordedTranslation* named(const std::string& recording, Name name,
                                 std::span<const RecordedTranslation> translations) {
  const auto has_name = [&](const RecordedTranslation& one) {
    return name(one.recording) == recording;
  };
  const auto found = std::find_if(translations.begin(), translations.end(), has_name);
  if (found == translations.end()) {
    return nullptr;
  }
  if (std::any_of(found + 1, translations.end(), has_name)) {
    throw std::runtime_error("the log has several translations of recording '" + recording + "'");
  }
  return &*found;
}

const RecordedTranslation& translation_of(const std::string& recording,
                                          std::span<const RecordedTranslation> translations) {
  const Name whole = [](const std::string& name) { return name; };
  for (const Name name : {whole, Name(stem_of)}) {
    if (const RecordedTranslation* found = named(recording, name, translations)) {
      return *found;
    }
  }
  throw std::runtime_error("the log has no translation of recording '" + recording + "'");
}

std::string segment_line(const std::string& recording, const ReferenceSegment& segment) {
  return "- {wav: " + json_string(recording + ".wav") +
         ", offset: " + json_number(segment.begin / kMs) +
         ", duration: " + json_number(segment.duration / kMs) + "}\n";
}

}  // namespace

std::vector<ReferenceRecording> read_segmentation(const std::filesystem::path& segmentation,
                                                  const std::filesystem::path& references) {
  const std::vector<std::string> lines = read_sentences(references);
  const YAML::Node entries = load(segmentation);
  if (!entries.IsSequence() || entries.size() != lines.size()) {
    fail(segmentation, "must be a list with an entry for each of the " +
                           counted(lines.size(), "line") + " of " + references.string());
  }
  std::vector<ReferenceRecording> recordings;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    try {
      const std::string name = stem_of(entries[i]["wav"].as<std::string>());
      if (recordings.empty() || recordings.back().name != name) {
        if (std::any_of(recordings.begin(), recordings.end(),
                        [&](const ReferenceRecording& known) { return known.name == name; })) {
          fail(segmentation, "entries of recording '" + name + "' must follow each other");
        }
        recordings.push_back({name, {}});
      }
      recordings.back().segments.push_back({entries[i]["offset"].as<double>() * kMs,
                                            entries[i]["duration"].as<double>() * kMs,
                                            std::string(python_strip(lines[i]))});
    } catch (const YAML::Exception&) {
      fail(segmentation, "entry " + std::to_string(i + 1) +
                             " must have the fields wav, offset and duration (seconds)");
    }
  }
  return recordings;
}

std::vector<Instance> resegment(std::span<const ReferenceRecording> recordings,
                                std::span<const RecordedTranslation> translations) {
  std::vector<Instance> instances;
  for (const ReferenceRecording& recording : recordings) {
    const bool only = recordings.size() == 1 && translations.size() == 1;
    const RecordedTranslation& translation =
        only ? translations.front() : translation_of(recording.name, translations);
    try {
      std::vector<Instance> of_recording =
          resegment(recording.segments, translation, instances.size());
      std::move(of_recording.begin(), of_recording.end(), std::back_inserter(instances));
    } catch (const std::invalid_argument& problem) {
      throw std::runtime_error(problem.what());
    }
  }
  return instances;
}

void write_scoring_files(const std::filesystem::path& folder, std::span<const ScoringTalk> talks) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) {
    fail(folder, "the folder cannot be created: " + error.message());
  }
  std::string hypotheses;
  std::string segments;
  std::string references;
  std::vector<RecordedTranslation> translations;
  for (const ScoringTalk& talk : talks) {
    hypotheses += hypothesis_line(talk);
    translations.push_back(talk.translation);
    translations.back().recording = talk.reference.name + ".wav";
    for (const ReferenceSegment& segment : talk.reference.segments) {
      segments += segment_line(talk.reference.name, segment);
      references += segment.reference + "\n";
    }
  }
  write_file(folder / "hypothesis.jsonl", hypotheses);
  write_file(folder / "simulstream.jsonl", to_simulstream_log(translations));
  write_file(folder / "simulstream.yaml", "detokenizer_type: simuleval\nlatency_unit: word\n");
  write_file(folder / "segments.yaml", segments);
  write_file(folder / "references.txt", references);
}

}  // namespace surtitle
