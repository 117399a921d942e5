// 8-bit kernels for AVX2, which has no dot product of bytes.
//
// Its vpmaddubsw multiplies unsigned by signed bytes and sums pairs in 16 bits, which saturate. For
// attention, the unsigned factor is the magnitude of x, at most 128, and the signed one is the key
// or value with the sign of x, from -127 to 127. A pair is then at most 2 * 128 * 127 = 32512,
// below the limit of 32767, and every sum is exact.
//
// Matrices use vpmaddwd instead, which multiplies 16 bits and sums pairs in 32: it needs no signs,
// and the even and odd bytes of weights are widened once for all rows of a tile. Their inputs are
// widened when they are quantised: x_0, x_2, x_1, x_3 in 16 bits each.
#include "model/cpu/byte_kernels.h"

#if defined(__x86_64__)
#define SURTITLE_TARGET [[gnu::target("avx2,fma")]]
#include "model/cpu/byte_kernels_256.h"

namespace surtitle {
namespace {

constexpr int kRows = 6;  // of a tile: sums, weights and factors fill 16 registers
constexpr int kVectors = 2;
constexpr int kFewRows = 2;
constexpr int kFewVectors = 4;
constexpr int kMixedHeads = 1;
constexpr int kMixedVectors = 4;
constexpr int kWeightOffset = 0;
constexpr int kPanelOffset = kByteOffset;
constexpr int kInputSize = 2;
constexpr int kParts = 2;  // even and odd inputs

struct Weights {
  __m256i bytes;  // signed
};
struct Inputs {
  __m256i bytes;
  __m256i magnitudes;
};
struct PanelWeights {
  __m256i words;
};
struct PanelInputs {
  __m256i words;
};

SURTITLE_OPERATION void load_weights(Weights& weights, const void* from) {
  weights.bytes = _mm256_xor_si256(_mm256_loadu_si256(static_cast<const __m256i*>(from)),
                                   _mm256_set1_epi8(static_cast<char>(kByteOffset)));
}

SURTITLE_OPERATION void load_panel(PanelWeights& weights, const void* from, std::ptrdiff_t part) {
  const __m256i bytes = _mm256_loadu_si256(static_cast<const __m256i*>(from));
  weights.words =
      part == 0 ? _mm256_and_si256(bytes, _mm256_set1_epi16(0xFF)) : _mm256_srli_epi16(bytes, 8);
}

SURTITLE_OPERATION void load_inputs(Inputs& inputs, const std::int8_t* four) {
  inputs.bytes = broadcast(four);
  inputs.magnitudes = _mm256_abs_epi8(inputs.bytes);
}

SURTITLE_OPERATION void load_inputs(PanelInputs& inputs, const std::int8_t* four) {
  inputs.words = broadcast(four);
}

// From the last to the first, because the result lies in the same memory.
SURTITLE_OPERATION void spread_inputs(std::int8_t* bytes, std::ptrdiff_t count) {
  std::ptrdiff_t at = count;
  const auto spread = [&](std::ptrdiff_t i) {
    const std::int16_t four[] = {bytes[i], bytes[i + 2], bytes[i + 1], bytes[i + 3]};
    std::memcpy(bytes + 2 * i, four, sizeof(four));
  };
  constexpr std::ptrdiff_t kStep = sizeof(__m128i);
  while (at % kStep != 0) spread(at -= 4);
  const __m128i order = _mm_setr_epi8(0, 2, 1, 3, 4, 6, 5, 7, 8, 10, 9, 11, 12, 14, 13, 15);
  for (; at > 0; at -= kStep) {
    const __m128i from = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes + at - kStep));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(bytes + 2 * (at - kStep)),
                        _mm256_cvtepi8_epi16(_mm_shuffle_epi8(from, order)));
  }
}

SURTITLE_OPERATION void add_products(Ints& sums, const Weights& weights, const Inputs& inputs) {
  const __m256i pairs =
      _mm256_maddubs_epi16(inputs.magnitudes, _mm256_sign_epi8(weights.bytes, inputs.bytes));
  sums += (Ints)_mm256_madd_epi16(pairs, _mm256_set1_epi16(1));
}

SURTITLE_OPERATION void add_products(Ints& sums, const PanelWeights& weights,
                                     const PanelInputs& inputs) {
  Ints sum = sums + (Ints)_mm256_madd_epi16(weights.words, inputs.words);
  // Otherwise, GCC delays additions and keeps their operands in memory.
  sums = sum;
}

}  // namespace
}  // namespace surtitle

#include "model/cpu/int8_kv_cache_kernels.h"
#endif

namespace surtitle {

const ByteKernels* avx2_kernels() {
#if defined(__x86_64__)
  static constexpr ByteKernels kKernels = {"AVX2",         kInputSize, multiply, quantize_inputs,
                                           quantize_bytes, write,      score,    mix};
  return &kKernels;
#else
  return nullptr;
#endif
}

}  // namespace surtitle
