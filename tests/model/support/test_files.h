// Files and helpers that several tests of this folder need.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "model/text/tokenizer.h"
#include "tests/temporary_folder.h"

namespace surtitle {

std::string read_text(const std::filesystem::path& file);
void write_text(const std::filesystem::path& file, const std::string& text);
std::vector<std::string> read_lines(const std::filesystem::path& file);

// Returns the four texts of tests/data/de-en.
std::vector<std::filesystem::path> test_texts();
// Returns their lines, one file after the other.
std::vector<std::string> test_lines();

// Pieces of a joint vocabulary that is learnt from them once per program.
inline constexpr int kTestVocabulary = 2000;
const std::filesystem::path& test_tokenizer_file();
std::shared_ptr<const Tokenizer> test_tokenizer();

// The tokenizers of a model of token ids only.
inline const TokenizerFiles kNoTokenizer{TokenizerFiles::Type::kNone, "", ""};

// Returns the message of the exception that `call` throws; fails the test if it throws none.
std::string error_of(const std::function<void()>& call);

}  // namespace surtitle
