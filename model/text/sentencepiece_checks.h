// What SentencePiece does not check in a model that it loads.
#pragma once

#include <filesystem>
#include <string_view>

namespace surtitle {

// Throws std::runtime_error naming `file` where `model`, its bytes, ends early between two parts
// (SentencePiece takes it for a model without options), or where following its normaliser's tables
// would leave them.
void check_sentencepiece_model(std::string_view model, const std::filesystem::path& file);

}  // namespace surtitle
