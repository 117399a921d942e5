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

#if defined(__x86_64__)
#define SURTITLE_TARGET(name) [[gnu::target(name)]]
inline bool cpu_has_avx512() {
  return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512vl") != 0 &&
         __builtin_cpu_supports("avx512bw") != 0 && __builtin_cpu_supports("avx512dq") != 0;
}
inline bool cpu_has_avx2() {
  return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
}
#endif

}  // namespace surtitle
