#include "model/engine/meaning_units.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace surtitle {
namespace {

// Newton's method stops at this largest change of a weight, or after this many rounds. Each round
// doubles the correct digits.
constexpr double kEnough = 1e-6;
constexpr int kRounds = 50;

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

// Solves A x = b for a symmetric, positive definite A [n, n] by Cholesky's method, in place: x
// replaces b.
void solve(std::vector<double>& a, std::vector<double>& b) {
  const std::size_t n = b.size();
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = a[i * n + j];
      for (std::size_t k = 0; k < j; ++k) sum -= a[i * n + k] * a[j * n + k];
      a[i * n + j] = i == j ? std::sqrt(sum) : sum / a[j * n + j];
    }
    for (std::size_t k = 0; k < i; ++k) b[i] -= a[i * n + k] * b[k];
    b[i] /= a[i * n + i];
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) b[i] -= a[k * n + i] * b[k];
    b[i] /= a[i * n + i];
  }
}

// One round: gradient and curvature of the loss at `weights` [C + 1], and the step to the minimum
// of the parabola that they describe.
std::vector<double> newton_step(const UnitExamples& examples, const std::vector<double>& weights) {
  const std::size_t n = weights.size();
  std::vector<double> gradient(n);
  std::vector<double> curvature(n * n);
  // Slight regularisation of the bias too: it would diverge if the examples are separable.
  for (std::size_t i = 0; i < n; ++i) {
    const double decay = i + 1 < n ? 1 : 1e-3;
    gradient[i] = decay * weights[i];
    curvature[i * n + i] = decay;
  }
  std::vector<double> x(n, 1);
  for (std::size_t row = 0; row < examples.ends.size(); ++row) {
    const auto state = examples.state(row);
    std::copy(state.begin(), state.end(), x.begin());
    double logit = 0;
    for (std::size_t i = 0; i < n; ++i) logit += weights[i] * x[i];
    const double p = sigmoid(logit);
    const double error = p - (examples.ends[row] ? 1 : 0);
    for (std::size_t i = 0; i < n; ++i) {
      gradient[i] += error * x[i];
      const double bent = p * (1 - p) * x[i];
      for (std::size_t j = 0; j <= i; ++j) curvature[i * n + j] += bent * x[j];
    }
  }
  solve(curvature, gradient);
  return gradient;
}

}  // namespace

std::vector<float> fit_unit_ends(const UnitExamples& examples) {
  const auto ends = std::count(examples.ends.begin(), examples.ends.end(), true);
  if (ends == 0 || static_cast<std::size_t>(ends) == examples.ends.size()) {
    throw std::runtime_error(std::string("of ") + std::to_string(examples.ends.size()) +
                             " source tokens " + (ends == 0 ? "none" : "every one") +
                             " ends a meaning unit; give more text, or another model");
  }
  std::vector<double> weights(examples.width + 1);
  for (int round = 0; round < kRounds; ++round) {
    const auto step = newton_step(examples, weights);
    double most = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      weights[i] -= step[i];
      most = std::max(most, std::abs(step[i]));
    }
    if (most < kEnough) break;
  }
  return {weights.begin(), weights.end()};
}

}  // namespace surtitle
