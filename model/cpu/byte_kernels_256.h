// Operations of model/cpu/int8_matrix_kernels.h that AVX2 and AVX-VNNI share.
//
// Only their sources include this, after they have defined SURTITLE_TARGET.
#pragma once

#include <immintrin.h>

#include <cstdint>
#include <cstring>

#include "model/cpu/simd.h"

#define SURTITLE_OPERATION SURTITLE_TARGET [[gnu::always_inline]] inline

namespace surtitle {
namespace {

using Floats = HalfVector;
using Ints = IntsOf<Floats>;

SURTITLE_OPERATION __m256i broadcast(const std::int8_t* four) {
  std::int32_t bits;
  std::memcpy(&bits, four, sizeof(bits));
  return _mm256_set1_epi32(bits);
}

SURTITLE_OPERATION void store_lowest_bytes(std::int8_t* to, const Ints& ints) {
  const __m256i order = _mm256_set1_epi32(0x0C080400);
  const __m256i fours = _mm256_shuffle_epi8((__m256i)ints, order);
  const __m128i bytes =
      _mm_unpacklo_epi32(_mm256_castsi256_si128(fours), _mm256_extracti128_si256(fours, 1));
  _mm_storel_epi64(reinterpret_cast<__m128i*>(to), bytes);
}

SURTITLE_OPERATION Ints rounded(const Floats& x) { return (Ints)_mm256_cvtps_epi32(x); }

SURTITLE_OPERATION Floats multiply_add(const Floats& a, const Floats& b, const Floats& c) {
  return _mm256_fmadd_ps(a, b, c);
}

}  // namespace
}  // namespace surtitle
