// The default of PackageDescription::trained_words.
#pragma once

namespace surtitle {

// Words to which a sentence of text without punctuation is limited if the package does not state
// the length of the sources in the model's training. Models leave out the end of longer sources.
inline constexpr int kDefaultTrainedWords = 30;

}  // namespace surtitle
