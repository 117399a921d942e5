// fairseq's dictionaries: pre-tokenised text, whose pieces stand between spaces.
//
// A file has a line "TOKEN COUNT" for each token; ids count from 4 in the order of the lines,
// behind begin of sentence, padding, end of sentence and unknown. Whatever is not in the file is
// unknown. A piece that ends in "@@" goes on in the next one (subword-nmt): "haus@@ halt" is one
// word.
#pragma once

#include <filesystem>
#include <memory>

#include "model/text/tokenizer.h"

namespace surtitle {

// Throws std::runtime_error: "FILE:LINE: what is wrong", or "FILE: cannot be read".
std::shared_ptr<const Tokenizer> load_dictionary(const std::filesystem::path& file);

}  // namespace surtitle
