// Finds the parts and the facts of a published model in its files.
//
// Thread-safety: plain values; all functions may be called from any thread.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "model/import/model_files.h"

namespace surtitle {

struct PublishedModel {
  std::shared_ptr<const ModelFiles> files;
  std::filesystem::path folder;  // of the files; empty if they are in an archive
  std::string weights = {};      // file names
  bool transformers = false;     // otherwise Marian's own formats
  std::string source_vocabulary = {};
  std::string target_vocabulary = {};
  std::string source_sentencepiece = {};
  std::string target_sentencepiece = {};
  std::string shortlist = {};  // empty: none
};

// Finds the parts. Throws std::runtime_error if one is missing or if there is a choice.
PublishedModel find_published_model(const std::filesystem::path& input);

// Facts from the files of a model; a field is empty if no file has it.
struct ModelFacts {
  std::string source_language;
  std::string target_language;
  std::string licence;
};
ModelFacts find_facts(const PublishedModel& model, const std::filesystem::path& input);

}  // namespace surtitle
