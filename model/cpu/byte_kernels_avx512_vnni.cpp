// 8-bit kernels for AVX512-VNNI.
#include "model/cpu/byte_kernels.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define SURTITLE_TARGET SURTITLE_AVX512_VNNI
#define SURTITLE_OPERATION SURTITLE_TARGET [[gnu::always_inline]] inline

namespace surtitle {
namespace {

using Floats = FloatVector;
using Ints = IntsOf<Floats>;
using Bytes = __m512i;

constexpr int kRows = 6;  // of a tile: sums, weights and inputs fit 32 registers
constexpr int kVectors = 4;
// A single row has few sums in a tile, so it takes more vectors at once to hide an instruction's
// latency.
constexpr int kFewVectors = 8;
constexpr int kMixedHeads = 2;
constexpr int kMixedVectors = 4;
constexpr int kWeightOffset = kByteOffset;

struct Weights {
  __m512i bytes;
};
struct Inputs {
  __m512i bytes;
};
using PanelWeights = Weights;
using PanelInputs = Inputs;
constexpr int kPanelOffset = kWeightOffset;
constexpr int kGroupsAtOnce = 1;

SURTITLE_OPERATION void load_weights(Weights& weights, const void* from) {
  weights.bytes = _mm512_loadu_si512(from);
}

SURTITLE_OPERATION void broadcast(Bytes& bytes, const std::int8_t* four) {
  std::int32_t bits;
  std::memcpy(&bits, four, sizeof(bits));
  bytes = _mm512_set1_epi32(bits);
}

SURTITLE_OPERATION void load_inputs(Inputs& inputs, const std::int8_t* four) {
  broadcast(inputs.bytes, four);
}

SURTITLE_OPERATION void add_products(Ints& sums, const Weights& weights, const Inputs& inputs) {
  sums = (Ints)_mm512_dpbusd_epi32((__m512i)sums, weights.bytes, inputs.bytes);
}

SURTITLE_OPERATION void store_lowest_bytes(std::int8_t* to, const Ints& ints) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm512_cvtepi32_epi8((__m512i)ints));
}

SURTITLE_OPERATION void store_four(std::int8_t* to, const Ints (&ints)[4]) {
  SURTITLE_UNROLL
  for (std::ptrdiff_t v = 0; v < 4; ++v) store_lowest_bytes(to + v * kLanes<Floats>, ints[v]);
}

SURTITLE_OPERATION std::int32_t total(const Ints& ints) {
  return _mm512_reduce_add_epi32((__m512i)ints);
}

SURTITLE_OPERATION float largest_lane(const Floats& floats) { return _mm512_reduce_max_ps(floats); }

SURTITLE_OPERATION Floats larger_of(const Floats& a, const Floats& b) {
  return _mm512_max_ps(a, b);
}

SURTITLE_OPERATION Ints rounded(const Floats& x) { return (Ints)_mm512_cvtps_epi32(x); }

SURTITLE_OPERATION Floats multiply_add(const Floats& a, const Floats& b, const Floats& c) {
  return _mm512_fmadd_ps(a, b, c);
}

SURTITLE_OPERATION void interleave(Bytes (&four)[4]) {
  const Bytes low01 = _mm512_unpacklo_epi8(four[0], four[1]);
  const Bytes high01 = _mm512_unpackhi_epi8(four[0], four[1]);
  const Bytes low23 = _mm512_unpacklo_epi8(four[2], four[3]);
  const Bytes high23 = _mm512_unpackhi_epi8(four[2], four[3]);
  four[0] = _mm512_unpacklo_epi16(low01, low23);
  four[1] = _mm512_unpackhi_epi16(low01, low23);
  four[2] = _mm512_unpacklo_epi16(high01, high23);
  four[3] = _mm512_unpackhi_epi16(high01, high23);
}

SURTITLE_OPERATION void add_fours(Ints& sums, const Bytes& weights, const Bytes& inputs) {
  sums = (Ints)_mm512_dpbusd_epi32((__m512i)sums, inputs, weights);
}

}  // namespace
}  // namespace surtitle

#include "model/cpu/int8_kv_cache_kernels.h"
#include "model/cpu/sparse_input_kernels.h"
#endif

namespace surtitle {

const ByteKernels* avx512_vnni_kernels() {
#if defined(__x86_64__)
  static constexpr ByteKernels kKernels = {"AVX512-VNNI",  multiply, quantize_inputs,
                                           quantize_bytes, collect,  multiply_sparse,
                                           write,          score,    mix};
  return &kKernels;
#else
  return nullptr;
#endif
}

}  // namespace surtitle
