#include "tests/model/support/zero_package.h"

#include "tests/model/support/test_files.h"

namespace surtitle {

ZeroPackage::ZeroPackage() {
  description.source_language = "de";
  description.target_language = "en";
  description.architecture = {.d_model = 8,
                              .heads = 2,
                              .ffn = 12,
                              .encoder_layers = 1,
                              .decoder_layers = 1,
                              .source_vocabulary = kTestVocabulary,
                              .target_vocabulary = kTestVocabulary};
  for (const auto& tensor : expected_tensors(description.architecture)) {
    std::size_t elements = 1;
    for (const auto size : tensor.shape) elements *= static_cast<std::size_t>(size);
    values_.emplace_back(elements * sizeof(float));
    weights.push_back({tensor.name, DType::kF32, tensor.shape, values_.back()});
  }
}

void ZeroPackage::write(const std::filesystem::path& folder) const {
  write_package(folder, description, weights);
  std::filesystem::copy_file(test_tokenizer_file(), folder / "sentencepiece.model",
                             std::filesystem::copy_options::overwrite_existing);
}

}  // namespace surtitle
