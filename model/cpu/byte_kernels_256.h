// Operations of model/cpu/int8_matrix_kernels.h and sparse_input_kernels.h that AVX2 and AVX-VNNI
// share.
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
using Bytes = __m256i;

SURTITLE_OPERATION __m256i broadcast(const std::int8_t* four) {
  std::int32_t bits;
  std::memcpy(&bits, four, sizeof(bits));
  return _mm256_set1_epi32(bits);
}

SURTITLE_OPERATION void broadcast(Bytes& bytes, const std::int8_t* four) {
  bytes = broadcast(four);
}

SURTITLE_OPERATION void interleave(Bytes (&four)[4]) {
  const Bytes low01 = _mm256_unpacklo_epi8(four[0], four[1]);
  const Bytes high01 = _mm256_unpackhi_epi8(four[0], four[1]);
  const Bytes low23 = _mm256_unpacklo_epi8(four[2], four[3]);
  const Bytes high23 = _mm256_unpackhi_epi8(four[2], four[3]);
  four[0] = _mm256_unpacklo_epi16(low01, low23);
  four[1] = _mm256_unpackhi_epi16(low01, low23);
  four[2] = _mm256_unpacklo_epi16(high01, high23);
  four[3] = _mm256_unpackhi_epi16(high01, high23);
}

SURTITLE_OPERATION void store_lowest_bytes(std::int8_t* to, const Ints& ints) {
  const __m256i order = _mm256_set1_epi32(0x0C080400);
  const __m256i fours = _mm256_shuffle_epi8((__m256i)ints, order);
  const __m128i bytes =
      _mm_unpacklo_epi32(_mm256_castsi256_si128(fours), _mm256_extracti128_si256(fours, 1));
  _mm_storel_epi64(reinterpret_cast<__m128i*>(to), bytes);
}

SURTITLE_OPERATION void store_four(std::int8_t* to, const Ints (&ints)[4]) {
  const __m256i words01 = _mm256_packs_epi32((__m256i)ints[0], (__m256i)ints[1]);
  const __m256i words23 = _mm256_packs_epi32((__m256i)ints[2], (__m256i)ints[3]);
  // In groups of four: the first halves of all vectors, then their second halves.
  const __m256i bytes = _mm256_packs_epi16(words01, words23);
  const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm256_permutevar8x32_epi32(bytes, order));
}

SURTITLE_OPERATION std::int32_t total(const Ints& ints) {
  __m128i sums = _mm_add_epi32(_mm256_castsi256_si128((__m256i)ints),
                               _mm256_extracti128_si256((__m256i)ints, 1));
  sums = _mm_add_epi32(sums, _mm_unpackhi_epi64(sums, sums));
  return _mm_cvtsi128_si32(sums) + _mm_extract_epi32(sums, 1);
}

SURTITLE_OPERATION float largest_lane(const Floats& floats) {
  __m128 largest = _mm_max_ps(_mm256_castps256_ps128(floats), _mm256_extractf128_ps(floats, 1));
  largest = _mm_max_ps(largest, _mm_movehl_ps(largest, largest));
  return _mm_cvtss_f32(_mm_max_ss(largest, _mm_movehdup_ps(largest)));
}

SURTITLE_OPERATION Floats larger_of(const Floats& a, const Floats& b) {
  return _mm256_max_ps(a, b);
}

SURTITLE_OPERATION Ints rounded(const Floats& x) { return (Ints)_mm256_cvtps_epi32(x); }

SURTITLE_OPERATION Floats multiply_add(const Floats& a, const Floats& b, const Floats& c) {
  return _mm256_fmadd_ps(a, b, c);
}

}  // namespace
}  // namespace surtitle
