// Vectors of 16 floats for kernels that are compiled once for each generation of x86-64 and chosen
// when they run; elsewhere the compiler splits them.
#pragma once

#include <cstring>

namespace surtitle {

using FloatVector = float __attribute__((vector_size(64)));
constexpr int kFloatVector = 16;

// Functions below work on references: a vector by value has another calling convention in each
// generation.
[[gnu::always_inline]] inline void load(FloatVector& vector, const float* from) {
  std::memcpy(&vector, from, sizeof(vector));
}
[[gnu::always_inline]] inline void store(float* to, const FloatVector& vector) {
  std::memcpy(to, &vector, sizeof(vector));
}

// A kernel is three functions around one always_inline body: two compiled for the generations that
// these name, and a plain one; for_this_cpu() takes the best that the CPU can run.
#if defined(__x86_64__)
#define SURTITLE_AVX2 [[gnu::target("avx2,fma")]]
#define SURTITLE_AVX512 [[gnu::target("avx512f,avx512vl,avx512bw,avx512dq,avx2,fma")]]
#else
#define SURTITLE_AVX2
#define SURTITLE_AVX512
#endif

template <typename Kernel>
Kernel for_this_cpu(Kernel plain, [[maybe_unused]] Kernel avx2, [[maybe_unused]] Kernel avx512) {
#if defined(__x86_64__)
  const bool has_avx2 = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
  const bool has_avx512 = has_avx2 && __builtin_cpu_supports("avx512f") != 0 &&
                          __builtin_cpu_supports("avx512vl") != 0 &&
                          __builtin_cpu_supports("avx512bw") != 0 &&
                          __builtin_cpu_supports("avx512dq") != 0;
  if (has_avx512) return avx512;
  if (has_avx2) return avx2;
#endif
  return plain;
}

}  // namespace surtitle
