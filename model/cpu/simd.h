// Vectors of 16 floats for kernels compiled per x86-64 generation.
//
// Each kernel is compiled once for each generation and chosen at run time. On other processors the
// compiler splits the vectors.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "model/cpu/instruction_set.h"

// Precedes a loop over registers: an array stays in registers only if every loop over it is
// unrolled.
#if defined(__clang__)
#define SURTITLE_UNROLL _Pragma("unroll")
#else
#define SURTITLE_UNROLL _Pragma("GCC unroll 8")
#endif

namespace surtitle {

using FloatVector = float __attribute__((vector_size(64)));
constexpr int kFloatVector = 16;

// Parts of a FloatVector. GCC keeps a vector in registers only if one register holds it: half a
// vector under AVX2, a quarter on Arm. So the kernels that take most of the time are templates.
using HalfVector = float __attribute__((vector_size(32)));
using QuarterVector = float __attribute__((vector_size(16)));
template <typename Vector>
constexpr int kLanes = sizeof(Vector) / sizeof(float);
template <typename Vector>
using IntsOf = decltype(Vector{} < Vector{});

// The functions below take references, because the calling convention of a vector by value differs
// between generations.
template <typename Vector>
[[gnu::always_inline]] inline void load(Vector& vector, const float* from) {
  std::memcpy(&vector, from, sizeof(vector));
}
template <typename Vector>
[[gnu::always_inline]] inline void store(float* to, const Vector& vector) {
  std::memcpy(to, &vector, sizeof(vector));
}

// Loads the first `left` lanes and sets the others to `otherwise`. A copy of a length known only at
// run time is a function call, so whole vectors take another path.
template <typename Vector>
[[gnu::always_inline]] inline void load_part(Vector& vector, const float* from, std::int64_t left,
                                             float otherwise = 0) {
  if (left >= kLanes<Vector>) {
    load(vector, from);
    return;
  }
  vector = Vector{} + otherwise;
  std::memcpy(&vector, from, static_cast<std::size_t>(left) * sizeof(float));
}

template <typename Vector>
[[gnu::always_inline]] inline void store_part(float* to, const Vector& vector, std::int64_t left) {
  if (left >= kLanes<Vector>) {
    store(to, vector);
  } else {
    std::memcpy(to, &vector, static_cast<std::size_t>(left) * sizeof(float));
  }
}

// Returns the sum of the lanes, always in the same order.
template <typename Vector>
[[gnu::always_inline]] inline float sum_of(const Vector& vector) {
  std::array<float, kLanes<Vector>> lanes;
  store(lanes.data(), vector);
  for (int width = kLanes<Vector> / 2; width > 0; width /= 2)
    for (int lane = 0; lane < width; ++lane) lanes[lane] += lanes[lane + width];
  return lanes[0];
}

template <typename Vector>
[[gnu::always_inline]] inline float largest_of(const Vector& vector) {
  std::array<float, kLanes<Vector>> lanes;
  store(lanes.data(), vector);
  for (int width = kLanes<Vector> / 2; width > 0; width /= 2)
    for (int lane = 0; lane < width; ++lane)
      lanes[lane] = lanes[lane] > lanes[lane + width] ? lanes[lane] : lanes[lane + width];
  return lanes[0];
}

// x = exp(x), within 2 units in the last place from -87 to 88; outside, x is clamped to that range.
template <typename Vector>
[[gnu::always_inline]] inline void exponential(Vector& x) {
  constexpr float kLog2E = 1.44269504088896341F;
  constexpr float kLn2High = 0.693359375F;
  constexpr float kLn2Low = -2.12194440e-4F;
  x = x < -87.0F ? x * 0 - 87.0F : x;
  x = x > 88.0F ? x * 0 + 88.0F : x;
  // Adding 1.5 * 2^23 rounds to the nearest integer and leaves it in the lowest bits.
  constexpr float kRound = 12582912.0F;
  const Vector n = (x * kLog2E + kRound) - kRound;
  const Vector r = x - n * kLn2High - n * kLn2Low;
  // The minimax polynomial of Cephes' expf for exp(r), |r| <= ln(2) / 2.
  Vector y = r * 1.9875691500e-4F + 1.3981999507e-3F;
  y = y * r + 8.3334519073e-3F;
  y = y * r + 4.1665795894e-2F;
  y = y * r + 1.6666665459e-1F;
  y = y * r + 5.0000001201e-1F;
  y = y * (r * r) + r + 1.0F;
  IntsOf<Vector> exponent = (__builtin_convertvector(n, IntsOf<Vector>) + 127) << 23;
  Vector power;
  std::memcpy(&power, &exponent, sizeof(power));
  x = y * power;
}

// x = tanh(x) = 1 - 2 / (exp(2x) + 1).
template <typename Vector>
[[gnu::always_inline]] inline void hyperbolic_tangent(Vector& x) {
  x *= 2.0F;
  exponential(x);
  x = 1.0F - 2.0F / (x + 1.0F);
}

// A kernel is a struct with an always_inline run(). run_for_this_cpu<Kernel>() calls the version
// compiled for the best generation that the CPU supports. Arguments are pointers and numbers.
#if defined(__x86_64__)
#define SURTITLE_AVX2 [[gnu::target("avx2,fma")]]
#define SURTITLE_AVX512 [[gnu::target("avx512f,avx512vl,avx512bw,avx512dq,avx2,fma")]]
#define SURTITLE_AVX512_VNNI \
  [[gnu::target("avx512f,avx512vl,avx512bw,avx512dq,avx512vnni,avx2,fma")]]
#else
#define SURTITLE_AVX2
#define SURTITLE_AVX512
#endif

template <typename Function>
Function for_this_cpu(Function plain, [[maybe_unused]] Function avx2,
                      [[maybe_unused]] Function avx512) {
#if defined(__x86_64__)
  const auto instructions = instruction_set();
  if (instructions >= InstructionSet::kAvx512) return avx512;
  if (instructions >= InstructionSet::kAvx2) return avx2;
#endif
  return plain;
}

template <typename Kernel, typename... Arguments>
void run_plain(Arguments... arguments) {
  Kernel::run(arguments...);
}

template <typename Kernel, typename... Arguments>
SURTITLE_AVX2 void run_avx2(Arguments... arguments) {
  Kernel::run(arguments...);
}

template <typename Kernel, typename... Arguments>
SURTITLE_AVX512 void run_avx512(Arguments... arguments) {
  Kernel::run(arguments...);
}

template <typename Kernel, typename... Arguments>
void run_for_this_cpu(Arguments... arguments) {
  static const auto chosen =
      for_this_cpu(&run_plain<Kernel, Arguments...>, &run_avx2<Kernel, Arguments...>,
                   &run_avx512<Kernel, Arguments...>);
  chosen(arguments...);
}

// The same for a kernel that is a template over its vectors.
template <template <typename> class Kernel, typename... Arguments>
void run_for_this_cpu(Arguments... arguments) {
  static const auto chosen = for_this_cpu(&run_plain<Kernel<HalfVector>, Arguments...>,
                                          &run_avx2<Kernel<HalfVector>, Arguments...>,
                                          &run_avx512<Kernel<FloatVector>, Arguments...>);
  chosen(arguments...);
}

}  // namespace surtitle
