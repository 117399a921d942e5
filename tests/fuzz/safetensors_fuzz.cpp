// Fuzz target of files of weights: the file must contain every byte of its tensors.
#include <stdexcept>

#include "model/package/safetensors.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace surtitle;
  const fuzz::MemoryFile memory(fuzz::text_of(data, size));
  try {
    const SafetensorsFile file(memory.path());
    unsigned int sum = 0;
    for (const TensorView& tensor : file.tensors()) {
      for (const std::byte byte : tensor.data) {
        sum += static_cast<unsigned int>(byte);
      }
      fuzz::require(file.find(tensor.name) == &tensor, "a tensor is not found", tensor.name);
    }
    fuzz::require(sum <= 255U * size, "a tensor has bytes beyond the file");
  } catch (const std::runtime_error& error) {
    fuzz::require_one_line(error.what());
  }
  return 0;
}
