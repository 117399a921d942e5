// 8-bit kernels for AVX-VNNI: VNNI's dot product on CPUs without AVX-512, in the VEX encoding.
#include "model/cpu/byte_kernels.h"

#if defined(__x86_64__)
// A test compiles this source in the EVEX encoding, to run it on CPUs that lack the other one.
#if !defined(SURTITLE_TARGET)
#define SURTITLE_TARGET [[gnu::target("avxvnni,avx2,fma")]]
#endif
#include "model/cpu/byte_kernels_256.h"

namespace surtitle {
namespace {

constexpr int kRows = 6;  // of a tile: sums, weights and inputs fill 16 registers
constexpr int kVectors = 2;
constexpr int kFewVectors = 4;
constexpr int kMixedHeads = 1;
constexpr int kMixedVectors = 4;
constexpr int kWeightOffset = kByteOffset;

struct Weights {
  __m256i bytes;
};
struct Inputs {
  __m256i bytes;
};
using PanelWeights = Weights;
using PanelInputs = Inputs;
constexpr int kPanelOffset = kWeightOffset;
constexpr int kGroupsAtOnce = 1;

SURTITLE_OPERATION void load_weights(Weights& weights, const void* from) {
  weights.bytes = _mm256_loadu_si256(static_cast<const __m256i*>(from));
}

SURTITLE_OPERATION void load_inputs(Inputs& inputs, const std::int8_t* four) {
  inputs.bytes = broadcast(four);
}

SURTITLE_OPERATION void add_products(Ints& sums, const Weights& weights, const Inputs& inputs) {
  sums = (Ints)_mm256_dpbusd_epi32((__m256i)sums, weights.bytes, inputs.bytes);
}

SURTITLE_OPERATION void add_fours(Ints& sums, const Bytes& weights, const Bytes& inputs) {
  sums = (Ints)_mm256_dpbusd_epi32((__m256i)sums, inputs, weights);
}

}  // namespace
}  // namespace surtitle

#include "model/cpu/int8_kv_cache_kernels.h"
#include "model/cpu/sparse_input_kernels.h"
#endif

namespace surtitle {

const ByteKernels* avx_vnni_kernels() {
#if defined(__x86_64__)
  static constexpr ByteKernels kKernels = {"AVX-VNNI",     multiply, quantize_inputs,
                                           quantize_bytes, collect,  multiply_sparse,
                                           write,          score,    mix};
  return &kKernels;
#else
  return nullptr;
#endif
}

}  // namespace surtitle
