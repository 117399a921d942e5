// Fuzz target of the files of published models.
//
// The first byte chooses the format: NPZ, Marian's binary format, PyTorch's files, gzip, a
// shortlist.
#include <stdexcept>

#include "model/import/readers.h"
#include "tests/fuzz/fuzz.h"

namespace surtitle {
namespace {

void read_all(const TensorFile& file) {
  for (const auto& [name, shape] : file.shapes()) {
    try {
      fuzz::require(file.read(name).size() == element_count(shape, name),
                    "a tensor has another size than its shape", name);
    } catch (const std::runtime_error& error) {
      fuzz::require_one_line(error.what());
    }
  }
}

void read(std::uint8_t format, const std::string& input) {
  constexpr int kPieces = 8;
  switch (format % 5) {
    case 0:
      return read_all(*read_marian_npz(open_zip(input, "npz")).tensors);
    case 1:
      return read_all(*read_marian_binary(input, "bin").tensors);
    case 2:
      return read_all(*read_pytorch(input, "pytorch"));
    case 3:
      without_gzip(input, 1U << 20U, "gzip");
      return;
    default:
      check_shortlist(input, kPieces, kPieces, "shortlist");
  }
}

}  // namespace
}  // namespace surtitle

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace surtitle;
  std::string_view input = fuzz::text_of(data, size);
  const std::uint8_t format = fuzz::take_byte(input);
  try {
    read(format, std::string(input));
  } catch (const std::runtime_error& error) {
    fuzz::require_one_line(error.what());
  }
  return 0;
}
