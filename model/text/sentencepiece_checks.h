// Checks that SentencePiece omits when it loads a model.
#pragma once

#include <filesystem>
#include <string_view>

namespace surtitle {

// Throws std::runtime_error naming `file` if `model`, its bytes, is damaged in one of two ways. It
// ends early between two parts, which SentencePiece reads as a model without options; or lookups in
// its normaliser's tables would leave them. Thread-safety: may be called from any thread.
void check_sentencepiece_model(std::string_view model, const std::filesystem::path& file);

}  // namespace surtitle
