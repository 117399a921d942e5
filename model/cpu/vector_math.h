// Element-wise arithmetic on rows of floats, for the CPU's inference.
//
// A row's result does not depend on its batch. Thread-safety: all functions may be called from any
// thread.
#pragma once

#include <cstdint>

namespace surtitle {

// y = (x - mean) / sqrt(variance + 1e-5) * gain + bias for each row of x [rows, width]; y may be x.
void layer_norm(const float* x, std::int64_t rows, std::int64_t width, const float* gain,
                const float* bias, float* y);

// Returns sum_c tanh(x_c) v_c.
float dot_tanh(const float* x, const float* v, std::int64_t width);

// Returns the largest of `count` >= 1 values.
float largest(const float* values, std::int64_t count);

// x = tanh(x).
void tanh_of(float* x, std::int64_t count);

// x = x sigmoid(x); x = x Phi(x), where Phi is the normal distribution.
void swish_of(float* x, std::int64_t count);
void gelu_of(float* x, std::int64_t count);

// x = sigmoid(x).
void sigmoid_of(float* x, std::int64_t count);

// Returns sum_c a_c b_c.
float dot(const float* a, const float* b, std::int64_t width);

// y_j = -(centre - j)^2 / (2 width^2) for j in [0, count).
void log_gaussian(float centre, float width, std::int64_t count, float* y);

// y_j += weight exp(-(centre - j)^2 / (2 width^2)) for j in [0, count).
void add_gaussian(float weight, float centre, float width, std::int64_t count, float* y);

}  // namespace surtitle
