// The vocabulary of an imported model, and its order in a package.
//
// Thread-safety: plain values; all functions may be called from any thread.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/import/model_files.h"

namespace surtitle {

struct ImportedVocabulary {
  std::vector<std::string> pieces;  // by the model's id; empty for tokens without text
  int end = -1;
  int unknown = -1;
  std::optional<int> padding;  // Marian's own models have none
};

// Reads a vocabulary by its name: .spm (SentencePiece's ids), .yml, .yaml or .json (a map of pieces
// to ids), otherwise a piece on each line; with .gz also compressed. Throws std::runtime_error
// naming the file.
ImportedVocabulary read_vocabulary(const ModelFiles& files, const std::string& file);

// Makes one of `ids`, pieces with their ids. Throws std::runtime_error naming `label` if the ids
// are not those of `pieces`, or if there is no end of sentence or unknown token.
ImportedVocabulary vocabulary_of(const std::vector<std::pair<std::string, std::int64_t>>& ids,
                                 const std::string& label);

// The model's id of each token of a package. Our begin of sentence has none, and padding may have
// none; those are -1. Embeddings without a piece are left out.
std::vector<int> package_order(const ImportedVocabulary& vocabulary, std::int64_t embeddings);

// Returns the text of the package's list of pieces (model/text/piece_list.h).
std::string piece_list_text(const ImportedVocabulary& vocabulary, const std::vector<int>& order);

// Returns the rows of a [size, width] matrix in a package's order; rows without an id are zeros.
// Throws std::runtime_error if the matrix has no row of an id.
std::vector<float> reordered_rows(const std::vector<float>& matrix, std::int64_t width,
                                  const std::vector<int>& order);

}  // namespace surtitle
