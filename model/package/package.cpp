#include "model/package/package.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <utility>

#include "model/package/safetensors_header.h"
#include "model/package/tensor_values.h"
#include "model/util/atomic_file.h"

namespace surtitle {
namespace {

using std::filesystem::path;

constexpr int kMaxPadding = 8;  // rows of embeddings without a piece are fewer than this

// Returns the index of the first number in `data` that is not finite, or -1. Such a number has all
// bits of the exponent set.
template <typename Bits>
std::ptrdiff_t first_not_finite(std::span<const std::byte> data, Bits exponent) {
  // The data may be unaligned. It is copied in blocks, which keeps the check as fast as the memory.
  constexpr std::size_t kBlock = 4096 / sizeof(Bits);
  std::array<Bits, kBlock> block;
  for (std::size_t begin = 0; begin < data.size(); begin += sizeof(block)) {
    const auto part = data.subspan(begin, std::min(sizeof(block), data.size() - begin));
    const std::size_t count = part.size() / sizeof(Bits);
    std::memcpy(block.data(), part.data(), part.size());
    bool finite = true;
    for (std::size_t index = 0; index < count; ++index) {
      finite &= (block[index] & exponent) != exponent;
    }
    if (finite) continue;
    std::size_t index = 0;
    while ((block[index] & exponent) != exponent) ++index;
    return static_cast<std::ptrdiff_t>(begin / sizeof(Bits) + index);
  }
  return -1;
}

std::ptrdiff_t first_not_finite(const TensorView& tensor) {
  switch (tensor.dtype) {
    case DType::kF32:
      return first_not_finite<std::uint32_t>(tensor.data, 0x7F800000U);
    case DType::kF16:
      return first_not_finite<std::uint16_t>(tensor.data, 0x7C00U);
    case DType::kBF16:
      return first_not_finite<std::uint16_t>(tensor.data, 0x7F80U);
    default:
      return -1;
  }
}

bool is_float(DType dtype) {
  return dtype == DType::kF32 || dtype == DType::kF16 || dtype == DType::kBF16;
}

// Returns the tensors of the architecture, and the scales of those that are stored in 8 bits.
std::vector<ExpectedTensor> required_tensors(const SafetensorsFile& weights,
                                             const ModelConfig& config) {
  std::vector<ExpectedTensor> tensors = expected_tensors(config);
  for (std::size_t i = 0, count = tensors.size(); i < count; ++i) {
    const TensorView* tensor = weights.find(tensors[i].name);
    if (tensor != nullptr && tensor->dtype == DType::kI8)
      tensors.push_back({tensors[i].name + std::string(kScaleSuffix), {tensors[i].shape.front()}});
  }
  return tensors;
}

void check_weights(const SafetensorsFile& weights, const ModelConfig& config) {
  const auto fail = [&](const ExpectedTensor& expected, const std::string& found,
                        const std::string& allowed) {
    throw std::runtime_error(tensor_error(weights.path(), expected.name, found, allowed));
  };
  for (const ExpectedTensor& expected : required_tensors(weights, config)) {
    const TensorView* tensor = weights.find(expected.name);
    if (tensor == nullptr) fail(expected, "none", "shape " + shape_text(expected.shape));
    if (tensor->shape != expected.shape) {
      fail(expected, "shape " + shape_text(tensor->shape), shape_text(expected.shape));
    }
    const bool matrix = expected.shape.size() == 2;
    if (!is_float(tensor->dtype) && !(matrix && tensor->dtype == DType::kI8)) {
      fail(expected, std::string(to_string(tensor->dtype)),
           matrix ? "F32, F16, BF16 or I8" : "F32, F16 or BF16");
    }
    const std::ptrdiff_t index = first_not_finite(*tensor);
    if (index >= 0) {
      fail(expected, "NaN or infinity at element " + std::to_string(index), "finite numbers");
    }
  }
}

// Throws if the number of pieces does not match the embeddings.
void check_size(const Tokenizer& tokenizer, const path& file, const char* field, int expected) {
  const int size = tokenizer.vocabulary_size();
  if (size > expected || size <= expected - kMaxPadding) {
    throw std::runtime_error(file.string() + ": found " + std::to_string(size) +
                             " pieces, expected " + std::to_string(expected) + ", the " + field +
                             " of " + kDescriptionFile);
  }
}

Tokenizers open_tokenizers(const path& folder, const PackageDescription& description) {
  auto tokenizers = load_tokenizers(folder, description.tokenizer);
  if (!tokenizers.source) return tokenizers;
  const TokenizerFiles& files = description.tokenizer;
  const ModelConfig& config = description.architecture;
  const bool lists = files.type == TokenizerFiles::Type::kPieceList;
  check_size(*tokenizers.source, folder / (lists ? files.source_pieces : files.source),
             "source_vocabulary", config.source_vocabulary);
  check_size(*tokenizers.target, folder / (lists ? files.target_pieces : files.target),
             "target_vocabulary", config.target_vocabulary);
  return tokenizers;
}

std::vector<int> find_pieces(const path& folder, const std::vector<std::string>& pieces,
                             const Tokenizers& tokenizers) {
  std::vector<int> tokens;
  for (const std::string& piece : pieces) {
    const auto token =
        tokenizers.source ? find_piece(*tokenizers.source, piece) : std::optional<int>();
    if (!token) {
      throw std::runtime_error((folder / kDescriptionFile).string() + ": 'source_prefix' has '" +
                               printable(piece) + "'; allowed: pieces of the source's tokenizer");
    }
    tokens.push_back(*token);
  }
  return tokens;
}

}  // namespace

Package open_package(const path& folder) {
  PackageDescription description = load_description(folder / kDescriptionFile);
  SafetensorsFile weights(folder / kWeightsFile);
  check_weights(weights, description.architecture);
  Tokenizers tokenizers = open_tokenizers(folder, description);
  std::vector<std::vector<int>> prefixes;
  for (const SourcePrefix& prefix : description.source_prefixes)
    prefixes.push_back(find_pieces(folder, prefix.pieces, tokenizers));
  return {folder, std::move(description), std::move(weights), std::move(tokenizers),
          std::move(prefixes)};
}

void write_package(const path& folder, const PackageDescription& description,
                   std::span<const TensorView> weights,
                   const std::map<std::string, std::string>& metadata) {
  std::filesystem::create_directories(folder);
  write_safetensors(folder / kWeightsFile, weights, metadata);
  AtomicFile file(folder / kDescriptionFile);
  file.write(to_yaml(description));
  file.commit();
}

}  // namespace surtitle
