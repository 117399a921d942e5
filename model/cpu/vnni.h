// AVX512-VNNI: instructions for sums of products of bytes.
//
// SURTITLE_VNNI marks a function that may use them. It is undefined if the compiler does not target
// x86-64.
#pragma once

#if defined(__x86_64__)
#include <immintrin.h>
#define SURTITLE_VNNI [[gnu::target("avx512f,avx512vl,avx512bw,avx512dq,avx512vnni,avx2,fma")]]
#endif

namespace surtitle {

inline bool has_vnni() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512vl") != 0 &&
         __builtin_cpu_supports("avx512bw") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
         __builtin_cpu_supports("avx512vnni") != 0;
#else
  return false;
#endif
}

}  // namespace surtitle
