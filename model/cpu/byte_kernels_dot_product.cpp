// 8-bit kernels for Arm's dot product of signed bytes (ARMv8.2, sdot).
#include "model/cpu/byte_kernels.h"

#if defined(__aarch64__)
#include <arm_neon.h>

#define SURTITLE_TARGET [[gnu::target("arch=armv8.2-a+dotprod")]]
#define SURTITLE_OPERATION SURTITLE_TARGET [[gnu::always_inline]] inline

namespace surtitle {
namespace {

using Floats = QuarterVector;
using Ints = IntsOf<Floats>;
using Bytes = int8x16_t;

constexpr int kRows = 5;  // of a tile: sums, weights and inputs fit 32 registers
constexpr int kVectors = 4;
constexpr int kFewVectors = 8;
constexpr int kMixedHeads = 1;
constexpr int kMixedVectors = 8;
constexpr int kWeightOffset = 0;

struct Weights {
  int8x16_t bytes;  // signed
};
struct Inputs {
  int8x16_t bytes;
};
using PanelWeights = Weights;
using PanelInputs = Inputs;
constexpr int kPanelOffset = kWeightOffset;
constexpr int kGroupsAtOnce = 1;

SURTITLE_OPERATION void load_weights(Weights& weights, const void* from) {
  const uint8x16_t bytes = vld1q_u8(static_cast<const std::uint8_t*>(from));
  weights.bytes = vreinterpretq_s8_u8(veorq_u8(bytes, vdupq_n_u8(kByteOffset)));
}

SURTITLE_OPERATION void broadcast(Bytes& bytes, const std::int8_t* four) {
  std::int32_t bits;
  std::memcpy(&bits, four, sizeof(bits));
  bytes = vreinterpretq_s8_s32(vdupq_n_s32(bits));
}

SURTITLE_OPERATION void load_inputs(Inputs& inputs, const std::int8_t* four) {
  broadcast(inputs.bytes, four);
}

SURTITLE_OPERATION void add_products(Ints& sums, const Weights& weights, const Inputs& inputs) {
  sums = (Ints)vdotq_s32((int32x4_t)sums, weights.bytes, inputs.bytes);
}

SURTITLE_OPERATION void store_lowest_bytes(std::int8_t* to, const Ints& ints) {
  const auto bytes = __builtin_convertvector(ints, std::int8_t __attribute__((vector_size(4))));
  std::memcpy(to, &bytes, sizeof(bytes));
}

SURTITLE_OPERATION void store_four(std::int8_t* to, const Ints (&ints)[4]) {
  SURTITLE_UNROLL
  for (std::ptrdiff_t v = 0; v < 4; ++v) store_lowest_bytes(to + v * kLanes<Floats>, ints[v]);
}

SURTITLE_OPERATION std::int32_t total(const Ints& ints) { return vaddvq_s32((int32x4_t)ints); }

SURTITLE_OPERATION float largest_lane(const Floats& floats) {
  return vmaxvq_f32((float32x4_t)floats);
}

SURTITLE_OPERATION Floats larger_of(const Floats& a, const Floats& b) {
  return (Floats)vmaxq_f32((float32x4_t)a, (float32x4_t)b);
}

SURTITLE_OPERATION Ints rounded(const Floats& x) { return (Ints)vcvtnq_s32_f32((float32x4_t)x); }

SURTITLE_OPERATION Floats multiply_add(const Floats& a, const Floats& b, const Floats& c) {
  return (Floats)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b);
}

SURTITLE_OPERATION void interleave(Bytes (&four)[4]) {
  const auto low01 = vreinterpretq_s16_s8(vzip1q_s8(four[0], four[1]));
  const auto high01 = vreinterpretq_s16_s8(vzip2q_s8(four[0], four[1]));
  const auto low23 = vreinterpretq_s16_s8(vzip1q_s8(four[2], four[3]));
  const auto high23 = vreinterpretq_s16_s8(vzip2q_s8(four[2], four[3]));
  four[0] = vreinterpretq_s8_s16(vzip1q_s16(low01, low23));
  four[1] = vreinterpretq_s8_s16(vzip2q_s16(low01, low23));
  four[2] = vreinterpretq_s8_s16(vzip1q_s16(high01, high23));
  four[3] = vreinterpretq_s8_s16(vzip2q_s16(high01, high23));
}

SURTITLE_OPERATION void add_fours(Ints& sums, const Bytes& weights, const Bytes& inputs) {
  sums = (Ints)vdotq_s32((int32x4_t)sums, weights, inputs);
}

}  // namespace
}  // namespace surtitle

#include "model/cpu/int8_kv_cache_kernels.h"
#include "model/cpu/sparse_input_kernels.h"
#endif

namespace surtitle {

const ByteKernels* dot_product_kernels() {
#if defined(__aarch64__)
  static constexpr ByteKernels kKernels = {"dot product",  multiply, quantize_inputs,
                                           quantize_bytes, collect,  multiply_sparse,
                                           write,          score,    mix};
  return &kKernels;
#else
  return nullptr;
#endif
}

}  // namespace surtitle
