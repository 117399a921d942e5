// The length up to which a model is used to text without punctuation.
#pragma once

namespace surtitle {

// Words of 19 of 20 sources of a model's training, at most, if its package does not state it.
// Models lose the rest of longer sources.
inline constexpr int kDefaultTrainedWords = 30;

}  // namespace surtitle
