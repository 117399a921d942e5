// Opens the sentencepiece module.
#pragma once

#include <filesystem>
#include <memory>
#include <string_view>

#include "model/text/sentencepiece_module.h"

namespace surtitle {

// Returns the module's functions. The first call opens the module; see open_module().
// Thread-safety: may be called from any thread. Throws std::runtime_error as open_module().
const sentencepiece_module::Functions& sentencepiece_functions();

struct CloseSentencepieceModel {
  void operator()(sentencepiece_module::Model* model) const;
};
using SentencepieceModel = std::unique_ptr<sentencepiece_module::Model, CloseSentencepieceModel>;

// Opens and checks a SentencePiece model. Throws std::runtime_error naming the file. Thread-safety:
// may be called from any thread.
SentencepieceModel open_sentencepiece_model(const std::filesystem::path& file);
// The same for the bytes of `file`.
SentencepieceModel open_sentencepiece_model(std::string_view bytes,
                                            const std::filesystem::path& file);

}  // namespace surtitle
