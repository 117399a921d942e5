// A model package: a folder with model.yaml, weights.safetensors, the tokenizer's file
// (sentencepiece.model) or files (a dictionary for each language) and MODEL_CARD.md.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "model/package/config.h"
#include "model/package/safetensors.h"
#include "model/text/text_form.h"
#include "model/text/tokenizer.h"

namespace surtitle {

// Files of every package.
inline constexpr const char* kDescriptionFile = "model.yaml";
inline constexpr const char* kWeightsFile = "weights.safetensors";

// model.yaml. Required are format, source_language, target_language and architecture.
struct PackageDescription {
  std::string name;             // default: the folder's
  std::string source_language;  // BCP 47, "de"
  std::string target_language;
  ModelConfig architecture;
  TokenizerFiles tokenizer = {};
  std::vector<std::string> policies;  // names of the policies that it was trained for
  std::string default_policy;         // "gma:delta=1"
  // Of its training's sources; another works worse.
  std::vector<TextForm> source_forms = {TextForm::kWritten};
  std::string training_data;  // for people
  std::string licence;
};

// Whether `text` has the characters of a language tag, BCP 47: "de", "pt-BR".
bool is_language_tag(const std::string& text);

// Reads model.yaml alone. Throws std::runtime_error: "FILE:LINE: what is wrong; what is allowed".
PackageDescription load_description(const std::filesystem::path& file);

// The text of model.yaml.
std::string to_yaml(const PackageDescription& description);

// Everything of a package, checked: all fields known and in range, every tensor of
// expected_tensors() there in its shape and a float dtype (F32, F16, BF16) or, for a matrix, in 8
// bits with the scale of each row (model/package/tensor_values.h), all weights finite, a piece for
// every row of the embeddings but up to 7: fairseq pads dictionaries to a multiple of 8. fairseq's
// leftovers (*.version, *._float_tensor) and tensors of other names are ignored.
struct Package {
  std::filesystem::path folder;
  PackageDescription description;
  SafetensorsFile weights;
  Tokenizers tokenizers;
};

// Throws std::runtime_error: one line that names the file and the field or tensor, found and
// allowed.
Package open_package(const std::filesystem::path& folder);

// Writes model.yaml and weights.safetensors into `folder` (made where missing), each by rename.
void write_package(const std::filesystem::path& folder, const PackageDescription& description,
                   std::span<const TensorView> weights,
                   const std::map<std::string, std::string>& metadata = {});

}  // namespace surtitle
