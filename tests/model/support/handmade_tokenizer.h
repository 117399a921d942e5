// A SentencePiece model, written byte by byte, smaller than any that training makes.
#pragma once

#include <string>

namespace surtitle {

// Returns the file's bytes. Pieces: the four special tokens, a word's begin, the letters a to z,
// then "▁a", "▁b" and so on up to `pieces`. REQUIRES: 31 <= pieces <= 57.
std::string handmade_tokenizer(int pieces);

}  // namespace surtitle
