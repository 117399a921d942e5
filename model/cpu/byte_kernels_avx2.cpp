// 8-bit kernels for AVX2, which has no dot product of bytes.
//
// Its vpmaddubsw multiplies unsigned by signed bytes and sums pairs in 16 bits, which saturate. For
// attention, the unsigned factor is the magnitude of x, at most 128, and the signed one is the key
// or value with the sign of x, from -127 to 127. A pair is then at most 2 * 128 * 127 = 32512,
// below the limit of 32767, and every sum is exact.
//
// For matrices, the unsigned factor is the weight with 128 added, at most 255. Among four inputs,
// the scale of a row of x bounds the sum of the positive ones by 128 and that of the negative ones
// by -128. So their four products sum to at most 255 * 128 = 32640 in magnitude, and two results of
// vpmaddubsw are added in 16 bits, before vpmaddwd widens them.
#include "model/cpu/byte_kernels.h"

#if defined(__x86_64__)
#define SURTITLE_TARGET [[gnu::target("avx2,fma")]]
#include "model/cpu/byte_kernels_256.h"

namespace surtitle {
namespace {

constexpr int kRows = 6;  // of a tile: as fast as 5, and faster than 3 and 4
constexpr int kVectors = 2;
constexpr int kFewVectors = 4;
constexpr int kMixedHeads = 1;
constexpr int kMixedVectors = 4;
constexpr int kWeightOffset = 0;
constexpr int kPanelOffset = kByteOffset;
constexpr int kGroupsAtOnce = 2;

struct Weights {
  __m256i bytes;  // signed
};
struct Inputs {
  __m256i bytes;
  __m256i magnitudes;
};
struct PanelWeights {  // of two groups
  __m256i first;
  __m256i second;
};
struct PanelInputs {
  __m256i first;
  __m256i second;
};

SURTITLE_OPERATION void load_weights(Weights& weights, const void* from) {
  weights.bytes = _mm256_xor_si256(_mm256_loadu_si256(static_cast<const __m256i*>(from)),
                                   _mm256_set1_epi8(static_cast<char>(kByteOffset)));
}

SURTITLE_OPERATION void load_weights(PanelWeights& weights, const void* from) {
  constexpr std::ptrdiff_t kVectorsOfGroup = kGroup * kPanel / sizeof(__m256i);
  const auto* vectors = static_cast<const __m256i*>(from);
  weights.first = _mm256_loadu_si256(vectors);
  weights.second = _mm256_loadu_si256(vectors + kVectorsOfGroup);
}

SURTITLE_OPERATION void load_inputs(Inputs& inputs, const std::int8_t* four) {
  inputs.bytes = broadcast(four);
  inputs.magnitudes = _mm256_abs_epi8(inputs.bytes);
}

SURTITLE_OPERATION void load_inputs(PanelInputs& inputs, const std::int8_t* eight) {
  inputs.first = broadcast(eight);
  inputs.second = broadcast(eight + kGroup);
}

SURTITLE_OPERATION void add_products(Ints& sums, const Weights& weights, const Inputs& inputs) {
  const __m256i pairs =
      _mm256_maddubs_epi16(inputs.magnitudes, _mm256_sign_epi8(weights.bytes, inputs.bytes));
  sums += (Ints)_mm256_madd_epi16(pairs, _mm256_set1_epi16(1));
}

SURTITLE_OPERATION void add_products(Ints& sums, const PanelWeights& weights,
                                     const PanelInputs& inputs) {
  const __m256i pairs = _mm256_add_epi16(_mm256_maddubs_epi16(weights.first, inputs.first),
                                         _mm256_maddubs_epi16(weights.second, inputs.second));
  sums += (Ints)_mm256_madd_epi16(pairs, _mm256_set1_epi16(1));
}

// Bytes of x are not negative here, so a pair is at most 2 * 127 * 127.
SURTITLE_OPERATION void add_fours(Ints& sums, const Bytes& weights, const Bytes& inputs) {
  sums += (Ints)_mm256_madd_epi16(_mm256_maddubs_epi16(inputs, weights), _mm256_set1_epi16(1));
}

}  // namespace
}  // namespace surtitle

#include "model/cpu/int8_kv_cache_kernels.h"
#include "model/cpu/sparse_input_kernels.h"
#endif

namespace surtitle {

const ByteKernels* avx2_kernels() {
#if defined(__x86_64__)
  static constexpr ByteKernels kKernels = {"AVX2",         multiply, quantize_inputs,
                                           quantize_bytes, collect,  multiply_sparse,
                                           write,          score,    mix};
  return &kKernels;
#else
  return nullptr;
#endif
}

}  // namespace surtitle
