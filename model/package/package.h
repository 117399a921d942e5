// Model package: a folder with the weights, configuration and vocabulary of a model.
//
// The files are model.yaml, weights.safetensors, MODEL_CARD.md, and those of the tokenizer:
// sentencepiece.model, a dictionary for each language, or a SentencePiece model and a list of its
// pieces for each language.
//
// Thread-safety: all functions may be called from any thread.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "model/package/config.h"
#include "model/package/safetensors.h"
#include "model/package/trained_words.h"
#include "model/text/text_form.h"
#include "model/text/tokenizer.h"

namespace surtitle {

// Names of files in every package.
inline constexpr const char* kDescriptionFile = "model.yaml";
inline constexpr const char* kWeightsFile = "weights.safetensors";

struct AlignmentHead {
  int layer = 0;  // of the decoder, from 0
  int head = 0;   // from 0

  bool operator==(const AlignmentHead&) const = default;
};

// The pieces before the words of every source in a model of several target languages, such as
// ">>deu<<" for "de".
struct SourcePrefix {
  std::string target_language;
  std::vector<std::string> pieces;  // at least one

  bool operator==(const SourcePrefix&) const = default;
};

inline constexpr std::size_t kMaxPlaceholders = 16;
inline constexpr std::size_t kMaxPlaceholderBytes = 8;

// The contents of model.yaml. Required are format, source_language, target_language and
// architecture.
struct PackageDescription {
  std::string name;             // default: the folder's name
  std::string source_language;  // BCP 47, "de"
  std::string target_language;
  ModelConfig architecture;
  TokenizerFiles tokenizer = {};
  // Empty: the model has one target language. Otherwise, the first one is that of target_language.
  std::vector<SourcePrefix> source_prefixes = {};
  // Names of the policies that suit the model, the preferred one first: those of its training, and
  // those that were measured to be good with it, such as alignatt. If the device does not support
  // default_policy, the first that it supports replaces it. The policy auto steers the first that
  // has a parameter for it (LagController::can_steer()). A stream with any other policy gets a
  // warning.
  std::vector<std::string> policies;
  std::string default_policy;  // "gma:delta=1"
  // The forms of the sources in training. Text in another form costs quality.
  std::vector<TextForm> source_forms = {TextForm::kWritten};
  // 19 of 20 sources in training had no more words than this. It limits a sentence of speech
  // without punctuation.
  int trained_words = kDefaultTrainedWords;
  // The cross-attention heads that align target and source words, for the policy alignatt; empty:
  // not known. `surtitle align --calibrate` finds them.
  std::vector<AlignmentHead> alignment_heads = {};
  // Words that the model copies wherever they stand, up to kMaxPlaceholderBytes letters and digits
  // of ASCII. They stand for the terms of glossaries.
  std::vector<std::string> placeholders = {};
  // For human readers, one line each.
  std::string training_data;
  std::string licence;  // of the weights and of their text
  std::string origin;   // where the weights are from: a URL if they have one; empty: not known

  // Returns alignment_heads, or all heads of the last layer if they are not known.
  std::vector<AlignmentHead> aligning_heads() const;
};

// Reads model.yaml alone. Throws std::runtime_error: "FILE:LINE: what is wrong; what is allowed".
PackageDescription load_description(const std::filesystem::path& file);

// Returns the text of model.yaml.
std::string to_yaml(const PackageDescription& description);

// A package that has been checked:
//
// - All fields are known and in range.
// - Every tensor of expected_tensors() exists in its shape. Its dtype is F32, F16 or BF16. A matrix
//   may also be I8 with the scale of each row (model/package/tensor_values.h).
// - All weights are finite.
// - The tokenizer has as many pieces as the embeddings have rows, or up to 7 fewer: fairseq pads
//   dictionaries to a multiple of 8.
// - The source's tokenizer has each piece of source_prefixes.
//
// All other tensors are ignored, such as fairseq's *.version and *._float_tensor.
struct Package {
  std::filesystem::path folder;
  PackageDescription description;
  SafetensorsFile weights;
  Tokenizers tokenizers;
  std::vector<std::vector<int>> source_prefixes = {};  // tokens of description.source_prefixes
};

// Opens a package with all checks. Throws std::runtime_error: one line with the file, the field or
// tensor, what was found and what is allowed.
Package open_package(const std::filesystem::path& folder);

// Writes model.yaml and weights.safetensors into `folder`, which is made if it is missing. Each
// file is replaced by a rename. Throws std::runtime_error if a file cannot be written.
void write_package(const std::filesystem::path& folder, const PackageDescription& description,
                   std::span<const TensorView> weights,
                   const std::map<std::string, std::string>& metadata = {});

}  // namespace surtitle
