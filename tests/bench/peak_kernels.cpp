#include "tests/bench/peak_kernels.h"

#include <cstdint>
#include <utility>

#include "model/cpu/simd.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace surtitle {
namespace {

constexpr long kRounds = 100'000;           // of a loop; they take around half a millisecond
constexpr int kValues = 24 * kFloatVector;  // inputs and sums of a loop

// Makes the compiler assume that the values are read and changed here. Otherwise, it could remove
// the code that writes them, or treat them as constants.
void keep(const void* values) { asm volatile("" : : "r"(values) : "memory"); }

// Keeps kRows x kColumns sums in registers, enough to hide an instruction's latency. The sums are
// loaded from memory, because the compiler would otherwise know that all are equal.
template <int kRows, int kColumns>
[[gnu::always_inline]] inline void multiply_floats() {
  alignas(64) float values[kValues] = {};
  keep(values);
  FloatVector factor;
  FloatVector addend;
  FloatVector sums[kRows][kColumns];
  load(factor, values);
  load(addend, values + kFloatVector);
  SURTITLE_UNROLL
  for (std::ptrdiff_t r = 0; r < kRows; ++r) {
    SURTITLE_UNROLL
    for (std::ptrdiff_t c = 0; c < kColumns; ++c)
      load(sums[r][c], values + (r * kColumns + c) * kFloatVector);
  }
  for (long round = 0; round < kRounds; ++round) {
    SURTITLE_UNROLL
    for (std::ptrdiff_t r = 0; r < kRows; ++r) {
      SURTITLE_UNROLL
      for (std::ptrdiff_t c = 0; c < kColumns; ++c) sums[r][c] = sums[r][c] * factor + addend;
    }
  }
  SURTITLE_UNROLL
  for (std::ptrdiff_t r = 0; r < kRows; ++r) {
    SURTITLE_UNROLL
    for (std::ptrdiff_t c = 0; c < kColumns; ++c)
      store(values + (r * kColumns + c) * kFloatVector, sums[r][c]);
  }
  keep(values);
}

template <int kRows, int kColumns>
void peak_plain() {
  multiply_floats<kRows, kColumns>();
}
template <int kRows, int kColumns>
SURTITLE_AVX2 void peak_avx2() {
  multiply_floats<kRows, kColumns>();
}
template <int kRows, int kColumns>
SURTITLE_AVX512 void peak_avx512() {
  multiply_floats<kRows, kColumns>();
}

#if defined(__x86_64__)
using Ints = IntsOf<FloatVector>;
constexpr int kByteSums = 16;
constexpr double kByteOperations = 2.0 * 64 * kByteSums * kRounds;

// As multiply_floats(). The sums are of type IntsOf<FloatVector>, because GCC copies sums of type
// __m512i between registers.
template <std::size_t... kSums>
SURTITLE_AVX512_VNNI void multiply_bytes(std::index_sequence<kSums...>) {
  alignas(64) std::int32_t values[kValues] = {};
  keep(values);
  const __m512i weight = _mm512_loadu_si512(values);
  const __m512i input = _mm512_loadu_si512(values + kFloatVector);
  Ints sums[] = {(Ints)_mm512_loadu_si512(values + kSums * kFloatVector)...};
  for (long round = 0; round < kRounds; ++round)
    ((sums[kSums] = (Ints)_mm512_dpbusd_epi32((__m512i)sums[kSums], weight, input)), ...);
  (_mm512_storeu_si512(values + kSums * kFloatVector, (__m512i)sums[kSums]), ...);
  keep(values);
}

SURTITLE_AVX512_VNNI void peak_bytes() { multiply_bytes(std::make_index_sequence<kByteSums>()); }
#endif

}  // namespace

Peak float_peak() {
  constexpr double kOperations = 2.0 * kFloatVector * kRounds;
  using Choice = Peak (*)();
  const Choice plain = [] { return Peak{peak_plain<2, 1>, 2 * kOperations, "plain"}; };
  const Choice avx2 = [] { return Peak{peak_avx2<5, 1>, 5 * kOperations, "AVX2"}; };
  const Choice avx512 = [] { return Peak{peak_avx512<6, 4>, 24 * kOperations, "AVX-512"}; };
  return for_this_cpu(plain, avx2, avx512)();
}

std::optional<Peak> byte_peak() {
#if defined(__x86_64__)
  if (instruction_set() == InstructionSet::kAvx512Vnni)
    return Peak{peak_bytes, kByteOperations, "AVX512-VNNI"};
#endif
  return std::nullopt;
}

}  // namespace surtitle
