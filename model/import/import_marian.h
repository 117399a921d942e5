// Converts a published model of Marian's family into a model package.
//
// The forms are distinguished by their files: folders of Hugging Face's transformers, checkpoints
// of Marian (NPZ), Marian's binary files as Firefox and translateLocally have them, and archives of
// OPUS-MT.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace surtitle {

struct MarianImport {
  std::filesystem::path input;   // a folder, an archive, or a file of weights
  std::filesystem::path output;  // the package, a folder that is made if it is missing
  // Empty: as the model's files have it.
  std::string source_language;
  std::string target_language;  // of several, that of streams which name none of them
  std::string name;
  std::string licence;
  std::string source_url;
};

struct ImportedPackage {
  std::string form;  // "Hugging Face's MarianMT, model.safetensors"
  std::string source_language;
  std::string target_language;
  std::string licence;             // empty: the files have none
  std::vector<std::string> notes;  // one sentence each
};

// Writes the package and opens it with all checks. Throws std::runtime_error of one line: what is
// missing or not supported, by its file, field and value. Thread-safety: may be called from any
// thread.
ImportedPackage import_marian(const MarianImport& options);

}  // namespace surtitle
