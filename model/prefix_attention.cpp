#include "model/prefix_attention.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "model/simd.h"

namespace surtitle {
namespace {

[[gnu::always_inline]] inline float dot(const float* a, const float* b, std::int64_t size) {
  FloatVector sums = {};
  std::int64_t i = 0;
  for (; i + kFloatVector <= size; i += kFloatVector) {
    FloatVector x;
    FloatVector y;
    load(x, a + i);
    load(y, b + i);
    sums += x * y;
  }
  for (int lane = 0; i + lane < size; ++lane) sums[lane] += a[i + lane] * b[i + lane];
  std::array<float, kFloatVector> parts;
  store(parts.data(), sums);
  for (int width = kFloatVector / 2; width > 0; width /= 2)
    for (int lane = 0; lane < width; ++lane) parts[lane] += parts[lane + width];
  return parts[0];
}

[[gnu::always_inline]] inline void add_scaled(float* to, const float* from, float factor,
                                              std::int64_t size) {
  std::int64_t i = 0;
  for (; i + kFloatVector <= size; i += kFloatVector) {
    FloatVector sum;
    FloatVector x;
    load(sum, to + i);
    load(x, from + i);
    sum += x * factor;
    store(to + i, sum);
  }
  for (; i < size; ++i) to[i] += from[i] * factor;
}

// scores [heads, visible] -> weights
[[gnu::always_inline]] inline void softmax(float* scores, std::int64_t visible) {
  float largest = scores[0];
  for (std::int64_t j = 1; j < visible; ++j) largest = std::max(largest, scores[j]);
  float sum = 0;
  for (std::int64_t j = 0; j < visible; ++j) sum += scores[j] = std::exp(scores[j] - largest);
  for (std::int64_t j = 0; j < visible; ++j) scores[j] /= sum;
}

[[gnu::always_inline]] inline void attend(const PrefixQuery& query, std::int64_t heads,
                                          std::int64_t d, float* scores) {
  const auto width = heads * d;
  for (std::int64_t j = 0; j < query.visible; ++j) {
    const float* key = query.key_value + j * 2 * width;
    const float bias = query.bias ? query.bias[j] : 0.0F;
    for (std::int64_t h = 0; h < heads; ++h)
      scores[h * query.visible + j] = dot(query.query + h * d, key + h * d, d) + bias;
  }
  for (std::int64_t h = 0; h < heads; ++h) softmax(scores + h * query.visible, query.visible);
  std::fill_n(query.context, width, 0.0F);
  for (std::int64_t j = 0; j < query.visible; ++j) {
    const float* value = query.key_value + (j * 2 + 1) * width;
    for (std::int64_t h = 0; h < heads; ++h)
      add_scaled(query.context + h * d, value + h * d, scores[h * query.visible + j], d);
  }
}

void attend_plain(const PrefixQuery& query, int heads, int d, float* scores) {
  attend(query, heads, d, scores);
}

SURTITLE_AVX2
void attend_avx2(const PrefixQuery& query, int heads, int d, float* scores) {
  attend(query, heads, d, scores);
}

SURTITLE_AVX512
void attend_avx512(const PrefixQuery& query, int heads, int d, float* scores) {
  attend(query, heads, d, scores);
}

}  // namespace

void attend_prefix(const PrefixQuery& query, int heads, int d, std::vector<float>& scores) {
  static const auto chosen = for_this_cpu(attend_plain, attend_avx2, attend_avx512);
  const auto needed = static_cast<std::size_t>(heads * query.visible);
  if (scores.size() < needed) scores.resize(needed);
  chosen(query, heads, d, scores.data());
}

}  // namespace surtitle
