// The amount of source text in words of speech, which limits and admission control count.
#pragma once

#include <algorithm>

namespace surtitle {

// Returns the number of words of speech that are as much work as this text: its words, or one for
// each four pieces if its words are longer than speech has them. Spoken words have one to three
// pieces. Thread-safety: may be called from any thread.
inline int words_of_speech(int words, int pieces) {
  constexpr int kPieces = 4;
  return std::max(words, (pieces + kPieces - 1) / kPieces);
}

}  // namespace surtitle
