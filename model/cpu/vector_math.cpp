#include "model/cpu/vector_math.h"

#include <algorithm>
#include <cmath>

#include "model/cpu/simd.h"

namespace surtitle {
namespace {

constexpr float kEpsilon = 1e-5F;  // of layer normalisation, the usual value

template <typename Vector>
struct LayerNorm {
  [[gnu::always_inline]] static void run(const float* x, std::int64_t width, const float* gain,
                                         const float* bias, float* y) {
    const std::int64_t whole = width / kLanes<Vector> * kLanes<Vector>;
    Vector sums = {};
    Vector part;
    for (std::int64_t i = 0; i < whole; i += kLanes<Vector>) {
      load(part, x + i);
      sums += part;
    }
    if (whole < width) {
      load_part(part, x + whole, width - whole, 0);
      sums += part;
    }
    const float mean = sum_of(sums) / static_cast<float>(width);
    sums = Vector{};
    for (std::int64_t i = 0; i < whole; i += kLanes<Vector>) {
      load(part, x + i);
      part -= mean;
      sums += part * part;
    }
    if (whole < width) {
      load_part(part, x + whole, width - whole, mean);
      part -= mean;
      sums += part * part;
    }
    const float scale = 1 / std::sqrt(sum_of(sums) / static_cast<float>(width) + kEpsilon);
    for (std::int64_t i = 0; i < whole; i += kLanes<Vector>) {
      Vector g;
      Vector b;
      load(part, x + i);
      load(g, gain + i);
      load(b, bias + i);
      store(y + i, (part - mean) * scale * g + b);
    }
    for (std::int64_t i = whole; i < width; ++i) y[i] = (x[i] - mean) * scale * gain[i] + bias[i];
  }
};

template <typename Vector>
struct DotTanh {
  [[gnu::always_inline]] static void run(const float* x, const float* v, std::int64_t width,
                                         float* dot) {
    Vector sums = {};
    for (std::int64_t i = 0; i < width; i += kLanes<Vector>) {
      Vector value;
      Vector weight;
      const auto left = width - i;
      load_part(value, x + i, left, 0);
      load_part(weight, v + i, left, 0);
      hyperbolic_tangent(value);
      sums += value * weight;
    }
    *dot = sum_of(sums);
  }
};

template <typename Vector>
struct Largest {
  [[gnu::always_inline]] static void run(const float* values, std::int64_t count, float* result) {
    Vector largest;
    const std::int64_t whole = count / kLanes<Vector> * kLanes<Vector>;
    float highest = values[0];
    if (whole > 0) {
      load(largest, values);
      for (std::int64_t i = kLanes<Vector>; i < whole; i += kLanes<Vector>) {
        Vector part;
        load(part, values + i);
        largest = part > largest ? part : largest;
      }
      highest = largest_of(largest);
    }
    for (std::int64_t i = whole; i < count; ++i) highest = std::max(highest, values[i]);
    *result = highest;
  }
};

template <typename Vector>
struct TanhOf {
  [[gnu::always_inline]] static void run(float* x, std::int64_t count) {
    for (std::int64_t i = 0; i < count; i += kLanes<Vector>) {
      Vector value;
      const auto left = count - i;
      load_part(value, x + i, left, 0);
      hyperbolic_tangent(value);
      store_part(x + i, value, left);
    }
  }
};

// x = x / (1 + exp(-x)), or 1 / (1 + exp(-x)).
template <bool kTimesX>
struct Logistic {
  [[gnu::always_inline]] static void run(float* x, std::int64_t count) {
    for (std::int64_t i = 0; i < count; i += kFloatVector) {
      FloatVector value;
      const auto left = count - i;
      load_part(value, x + i, left, 0);
      FloatVector power = -value;
      exponential(power);
      store_part(x + i, (kTimesX ? value : FloatVector{} + 1.0F) / (power + 1.0F), left);
    }
  }
};

template <typename Vector>
struct Dot {
  [[gnu::always_inline]] static void run(const float* a, const float* b, std::int64_t width,
                                         float* dot) {
    Vector sums = {};
    for (std::int64_t i = 0; i < width; i += kLanes<Vector>) {
      Vector left;
      Vector right;
      const auto there = width - i;
      load_part(left, a + i, there, 0);
      load_part(right, b + i, there, 0);
      sums += left * right;
    }
    *dot = sum_of(sums);
  }
};

struct LogGaussian {
  [[gnu::always_inline]] static void run(float centre, float width, std::int64_t count, float* y) {
    for (std::int64_t j = 0; j < count; ++j) {
      const float deviations = (centre - static_cast<float>(j)) / width;
      y[j] = -0.5F * deviations * deviations;
    }
  }
};

struct AddGaussian {
  [[gnu::always_inline]] static void run(float weight, float centre, float width,
                                         std::int64_t count, float* y) {
    FloatVector j = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    for (std::int64_t first = 0; first < count; first += kFloatVector, j += kFloatVector) {
      const FloatVector deviations = (centre - j) / width;
      const FloatVector exponent = -0.5F * deviations * deviations;
      FloatVector curve = exponent;
      exponential(curve);
      // Products of numbers near the smallest float are many times slower.
      curve = exponent < -60.0F ? FloatVector{} : curve;
      FloatVector sum;
      const auto left = count - first;
      load_part(sum, y + first, left, 0);
      sum += curve * weight;
      store_part(y + first, sum, left);
    }
  }
};

}  // namespace

void layer_norm(const float* x, std::int64_t rows, std::int64_t width, const float* gain,
                const float* bias, float* y) {
  for (std::int64_t row = 0; row < rows; ++row)
    run_for_this_cpu<LayerNorm>(x + row * width, width, gain, bias, y + row * width);
}

float dot_tanh(const float* x, const float* v, std::int64_t width) {
  float dot = 0;
  run_for_this_cpu<DotTanh>(x, v, width, &dot);
  return dot;
}

float largest(const float* values, std::int64_t count) {
  float result = 0;
  run_for_this_cpu<Largest>(values, count, &result);
  return result;
}

void tanh_of(float* x, std::int64_t count) { run_for_this_cpu<TanhOf>(x, count); }

void swish_of(float* x, std::int64_t count) { run_for_this_cpu<Logistic<true>>(x, count); }

void sigmoid_of(float* x, std::int64_t count) { run_for_this_cpu<Logistic<false>>(x, count); }

void gelu_of(float* x, std::int64_t count) {
  constexpr float kRootHalf = 0.70710678118654752F;
  for (std::int64_t i = 0; i < count; ++i) x[i] *= 0.5F * (1 + std::erf(x[i] * kRootHalf));
}

float dot(const float* a, const float* b, std::int64_t width) {
  float result = 0;
  run_for_this_cpu<Dot>(a, b, width, &result);
  return result;
}

void log_gaussian(float centre, float width, std::int64_t count, float* y) {
  run_for_this_cpu<LogGaussian>(centre, width, count, y);
}

void add_gaussian(float weight, float centre, float width, std::int64_t count, float* y) {
  run_for_this_cpu<AddGaussian>(weight, centre, width, count, y);
}

}  // namespace surtitle
