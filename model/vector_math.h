// The element-wise arithmetic of the CPU's inference, on rows of floats. A row's result does not
// depend on its batch.
#pragma once

#include <cstdint>

namespace surtitle {

// y = (x - mean) / sqrt(variance + 1e-5) * gain + bias for each row of x [rows, width]; y may be x.
void layer_norm(const float* x, std::int64_t rows, std::int64_t width, const float* gain,
                const float* bias, float* y);

// sum_c tanh(x_c) v_c.
float dot_tanh(const float* x, const float* v, std::int64_t width);

// The largest of `count` >= 1 values.
float largest(const float* values, std::int64_t count);

// log G_j = -(p - j)^2 / (2 (p / 2)^2) for j in [0, visible).
void gaussian_log_prior(float p, std::int64_t visible, float* log_prior);

}  // namespace surtitle
