#include "model/training/latency_loss.h"

#include <gtest/gtest.h>

#include <cmath>

namespace surtitle {
namespace {

constexpr std::int64_t kTarget = 6;
constexpr std::int64_t kSource = 5;

// Two layers of two heads, three sentences of different lengths.
class LatencyLoss : public testing::Test {
 protected:
  LatencyLoss() {
    torch::manual_seed(2);
    for (auto& alpha : alphas_)
      alpha = torch::softmax(torch::randn({3, 2, kTarget, kSource}, torch::kDouble), -1)
                  .requires_grad_();
  }

  torch::Tensor latency(const LatencyWeights& weights) const {
    const auto delays = torch::cat({expected_delays(alphas_[0]), expected_delays(alphas_[1])}, 1);
    return latency_loss(delays, source_lengths_, target_lengths_, weights);
  }

  double loss(const LatencyWeights& weights) const { return latency(weights).item<double>(); }

  // Returns g_n(i) of a sentence.
  double delay(std::int64_t b, std::int64_t n, std::int64_t i) const {
    double sum = 0;
    for (std::int64_t j = 0; j < kSource; ++j)
      sum += static_cast<double>(j + 1) *
             alphas_[static_cast<std::size_t>(n / 2)][b][n % 2][i][j].item<double>();
    return sum;
  }

  std::vector<torch::Tensor> alphas_{2};
  const torch::Tensor source_lengths_ = torch::tensor({5L, 3L, 4L});
  const torch::Tensor target_lengths_ = torch::tensor({6L, 4L, 1L});
};

TEST_F(LatencyLoss, IsItsDefinition) {
  double average = 0;
  double variance = 0;
  for (std::int64_t b = 0; b < 3; ++b) {
    const auto steps = target_lengths_[b].item<std::int64_t>();
    const double rate =
        static_cast<double>(source_lengths_[b].item<std::int64_t>()) / static_cast<double>(steps);
    double before = 0;
    for (std::int64_t i = 0; i < steps; ++i) {
      double weighted = 0;
      double weights = 0;
      double mean = 0;
      for (std::int64_t n = 0; n < 4; ++n) {
        weighted += std::exp(delay(b, n, i)) * delay(b, n, i);
        weights += std::exp(delay(b, n, i));
        mean += delay(b, n, i) / 4;
      }
      const double own = weighted / weights;
      before = i == 0 ? own : std::max(own, before + rate);
      average += (before - static_cast<double>(i) * rate) / static_cast<double>(steps);
      for (std::int64_t n = 0; n < 4; ++n)
        variance += std::pow(delay(b, n, i) - mean, 2) / 4 / static_cast<double>(steps);
    }
  }
  EXPECT_NEAR(loss({.average = 1}), average, 1e-9);
  EXPECT_NEAR(loss({.variance = 1}), variance, 1e-9);
  EXPECT_NEAR(loss({.average = 0.3, .variance = 2}), 0.3 * average + 2 * variance, 1e-9);
}

TEST_F(LatencyLoss, HasTheGradientOfFiniteDifferences) {
  const LatencyWeights weights{.average = 0.7, .variance = 0.4};
  latency(weights).backward();
  const torch::NoGradGuard no_grad;
  for (auto& alpha : alphas_) {
    for (std::int64_t at = 0; at < alpha.numel(); at += 7) {
      auto* value = alpha.data_ptr<double>() + at;
      const double before = *value;
      *value = before + 1e-6;
      const double above = loss(weights);
      *value = before - 1e-6;
      const double below = loss(weights);
      *value = before;
      EXPECT_NEAR(alpha.grad().flatten()[at].item<double>(), (above - below) / 2e-6, 1e-7);
    }
  }
}

TEST(AlignedDelays, AreThePositionsUpToTheEndOfTheSource) {
  const auto p = torch::tensor({{0.9, 2.5, 7.0}, {1.5, 2.0, 3.5}}, torch::kDouble).requires_grad_();
  const auto lengths = torch::tensor({4L, 3L});
  const auto delays = aligned_delays(p, lengths);
  EXPECT_TRUE(delays.equal(torch::tensor({{{0.9, 2.5, 4.0}}, {{1.5, 2.0, 3.0}}}, torch::kDouble)));

  latency_loss(delays, lengths, torch::tensor({3L, 3L}), {.average = 1}).backward();
  // A smaller p at any step inside the source lowers the loss, unless a later step decides it.
  EXPECT_GE(p.grad().min().item<double>(), 0);
  EXPECT_GT(p.grad().sum().item<double>(), 0);
  EXPECT_EQ(p.grad()[0][2].item<double>(), 0);
}

}  // namespace
}  // namespace surtitle
