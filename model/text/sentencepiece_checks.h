// Checks that SentencePiece omits when it loads a model.
#pragma once

#include <filesystem>
#include <string_view>

namespace surtitle {

// Throws std::runtime_error naming `file` if `model`, the bytes of the file, is damaged in one of
// two ways. Either the model is cut off between two parts, which SentencePiece reads as a model
// without options. Or a lookup in the tables of its normaliser would read outside of them.
// Thread-safety: may be called from any thread.
void check_sentencepiece_model(std::string_view model, const std::filesystem::path& file);

}  // namespace surtitle
