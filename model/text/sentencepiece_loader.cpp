#include "model/text/sentencepiece_loader.h"

#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

#include "model/text/sentencepiece_checks.h"
#include "model/util/module_loader.h"

namespace surtitle {
namespace {

std::string read_file(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::string bytes(std::istreambuf_iterator<char>(stream), {});
  if (!stream) throw std::runtime_error(file.string() + ": cannot be read");
  return bytes;
}

}  // namespace

const sentencepiece_module::Functions& sentencepiece_functions() {
  namespace module = sentencepiece_module;
  // The module's sentencepiece must use its own protobuf, not LibTorch's.
  static const auto& functions = module_functions<module::Functions>(
      "surtitle_sentencepiece.so", module::kEntry, module::kVersion, /*own_symbols=*/true);
  return functions;
}

void CloseSentencepieceModel::operator()(sentencepiece_module::Model* model) const {
  sentencepiece_functions().close(model);
}

SentencepieceModel open_sentencepiece_model(const std::filesystem::path& file) {
  return open_sentencepiece_model(read_file(file), file);
}

SentencepieceModel open_sentencepiece_model(std::string_view bytes,
                                            const std::filesystem::path& file) {
  check_sentencepiece_model(bytes, file);
  sentencepiece_module::Error error{};
  SentencepieceModel model(sentencepiece_functions().open({bytes.data(), bytes.size()}, &error));
  if (!model) {
    throw std::runtime_error(file.string() + ": not a SentencePiece model: " + error.text.data());
  }
  return model;
}

}  // namespace surtitle
