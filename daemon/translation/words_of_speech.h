// The amount of source text in words of speech, which limits and admission control count, and their
// duration.
#pragma once

#include <algorithm>

namespace surtitle {

inline constexpr double kWordMs = 400;  // of a word at 2.5 words per second

// Returns the number of spoken words that cost as much work as this text. It is the number of its
// words, or a quarter of its tokens (pieces) if that is more. Spoken words have one to three
// tokens. Thread-safety: may be called from any thread.
inline int words_of_speech(int words, int pieces) {
  constexpr int kPieces = 4;
  return std::max(words, (pieces + kPieces - 1) / kPieces);
}

}  // namespace surtitle
