// Tokenizer of fairseq's dictionaries, for text whose pieces are separated by spaces.
//
// A file has a line "TOKEN COUNT" for each token. Ids count from 4 in the order of the lines, after
// begin of sentence, padding, end of sentence and unknown. Tokens that the file lacks are unknown.
// A piece that ends in "@@" continues in the next one (subword-nmt): "haus@@ halt" is one word.
#pragma once

#include <filesystem>
#include <memory>

#include "model/text/tokenizer.h"

namespace surtitle {

// Opens a dictionary. Throws std::runtime_error: "FILE:LINE: what is wrong", or "FILE: cannot be
// read". Thread-safety: may be called from any thread.
std::shared_ptr<const Tokenizer> load_dictionary(const std::filesystem::path& file);

}  // namespace surtitle
