// Tokenizer of a SentencePiece model whose pieces have other ids than in that model.
//
// SentencePiece divides a word into pieces, and a list of pieces has their ids: line n of the file
// is the piece of token n, UTF-8. The first four lines are <s>, <pad>, </s> and <unk>. An empty
// line is a token without text, which no word has. Pieces that the list lacks are unknown.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/text/tokenizer.h"

namespace surtitle {

// Opens a SentencePiece model and its list of pieces. Throws std::runtime_error: "FILE:LINE: what
// is wrong", or "FILE: ..." for a whole file. Thread-safety: may be called from any thread.
std::shared_ptr<const Tokenizer> load_piece_list(const std::filesystem::path& model,
                                                 const std::filesystem::path& pieces);

// Returns the text of a list. `pieces` are those of the tokens after the special ones.
std::string piece_list_text(const std::vector<std::string>& pieces);

// The pieces of a SentencePiece model by their ids in that model; empty for control and unused
// tokens.
struct SentencepiecePieces {
  std::vector<std::string> pieces;
  int unknown = -1;          // negative: none
  int end_of_sentence = -1;  // negative: none
};
// `model` are the bytes of a file, which `file` names in messages. Throws std::runtime_error.
SentencepiecePieces sentencepiece_pieces(std::string_view model, const std::filesystem::path& file);

}  // namespace surtitle
