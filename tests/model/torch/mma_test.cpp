// Monotonic heads in training: compares the expected alignment with its definition and with heads
// that stop, and checks its gradient.
#include "model/torch/mma.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include "model/torch/transformer.h"
#include "policies/registry.h"

namespace surtitle {
namespace {

constexpr std::int64_t kHeads = 2;
constexpr std::int64_t kTarget = 5;
constexpr std::int64_t kSource = 7;

// Two sentences, of which the second is shorter.
const torch::Tensor kLengths = torch::tensor({kSource, kSource - 2});

// Returns the visible source of each step under `spec`, whatever its alignment.
torch::Tensor visible_under(const std::string& spec) {
  const auto p = torch::full({2, kTarget}, 1e9F);
  return visible_source(*make_policy(spec), p, torch::arange(kTarget).unsqueeze(0), kLengths);
}

// Returns alpha_ij of one head by the paper's equation.
std::vector<std::vector<double>> definition(const torch::Tensor& given,
                                            const torch::Tensor& visible) {
  std::vector<std::vector<double>> alpha;
  std::vector<double> before(kSource);
  before[0] = 1;
  for (std::int64_t i = 0; i < kTarget; ++i) {
    const auto last = visible[i].item<std::int64_t>() - 1;
    const auto p = [&](std::int64_t j) { return j == last ? 1 : given[i][j].item<double>(); };
    auto& row = alpha.emplace_back(kSource);
    for (std::int64_t j = 0; j <= last; ++j) {
      for (std::int64_t k = 0; k <= j; ++k) {
        double product = before[static_cast<std::size_t>(k)];
        for (std::int64_t l = k; l < j; ++l) product *= 1 - p(l);
        row[static_cast<std::size_t>(j)] += p(j) * product;
      }
    }
    before = row;
  }
  return alpha;
}

class ExpectedAlignment : public testing::TestWithParam<const char*> {
 protected:
  ExpectedAlignment() { torch::manual_seed(4); }
  const torch::Tensor visible_ = visible_under(GetParam());
};

TEST_P(ExpectedAlignment, IsItsDefinition) {
  const auto p = torch::rand({2, kHeads, kTarget, kSource}, torch::kDouble);
  const auto alpha = expected_alignment(p, visible_);
  for (std::int64_t b = 0; b < 2; ++b) {
    for (std::int64_t h = 0; h < kHeads; ++h) {
      const auto expected = definition(p[b][h], visible_[b]);
      for (std::int64_t i = 0; i < kTarget; ++i)
        for (std::int64_t j = 0; j < kSource; ++j)
          ASSERT_NEAR(alpha[b][h][i][j].item<double>(),
                      expected[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)], 1e-12)
              << "step " << i << ", source token " << j;
    }
  }
  EXPECT_TRUE(torch::allclose(alpha.sum(-1), torch::ones({1}, torch::kDouble)));
}

// No product of probabilities underflows, for any certainty and position of the heads.
TEST_P(ExpectedAlignment, IsTheHardOneWhereHeadsAreSure) {
  const auto stop = torch::rand({2, kHeads, kTarget, kSource}) < 0.3;
  const auto energies = torch::where(stop, torch::full({1}, 200.0F), torch::full({1}, -200.0F));
  const auto alpha = expected_alignment(torch::sigmoid(energies), visible_);
  const auto hard = whole_stops(energies, *make_policy(GetParam()), kLengths, {});
  const auto chosen = alpha.gather(3, hard.positions.transpose(1, 2).unsqueeze(3).to(torch::kLong));
  EXPECT_TRUE(torch::equal(chosen, torch::ones_like(chosen)));
  EXPECT_TRUE(torch::equal(alpha.sum(-1), torch::ones({2, kHeads, kTarget})));
}

TEST_P(ExpectedAlignment, HasTheGradientOfFiniteDifferences) {
  auto p = torch::rand({2, kHeads, kTarget, kSource}, torch::kDouble);
  const auto factors = torch::randn(p.sizes(), torch::kDouble);
  const auto loss = [&] { return (expected_alignment(p, visible_) * factors).sum(); };
  p.requires_grad_();
  loss().backward();
  const torch::NoGradGuard no_grad;
  for (int sample = 0; sample < 40; ++sample) {
    const auto at = torch::randint(p.numel(), {1}, torch::kLong).item<std::int64_t>();
    auto* value = p.data_ptr<double>() + at;
    const double before = *value;
    *value = before + 1e-6;
    const double above = loss().item<double>();
    *value = before - 1e-6;
    const double below = loss().item<double>();
    *value = before;
    EXPECT_NEAR(p.grad().flatten()[at].item<double>(), (above - below) / 2e-6, 1e-7);
  }
}

INSTANTIATE_TEST_SUITE_P(Policies, ExpectedAlignment,
                         testing::Values("full-sentence", "wait-k:k=2"), [](const auto& tested) {
                           return tested.param[0] == 'w' ? "WaitK" : "FullSentence";
                         });

class MmaLayer : public testing::Test {
 protected:
  MmaLayer() {
    torch::manual_seed(6);
    const torch::NoGradGuard no_grad;
    for (auto* layer : {&quiet_, &noisy_}) {
      layer->to(torch::kDouble);
      layer->train();
      torch::manual_seed(7);
      for (auto& parameter : layer->parameters())
        if (parameter.dim() > 1) parameter.copy_(torch::randn(parameter.sizes(), torch::kDouble));
    }
  }

  static MmaAttentionImpl make(const MmaOptions& options) {
    return {options, cross_tensors(options, kWidth, kHeads, /*leads=*/true), kWidth, kHeads,
            /*dropout=*/0};
  }
  torch::Tensor weights(const MmaAttentionImpl& layer) const {
    const auto index = torch::arange(kTarget).unsqueeze(0);
    const auto positions = layer.positions({}, index.expand({2, kTarget}));
    return layer.attend({layer.project_query(x_), positions, index, visible_, {}}, key_value(layer))
        .weights;
  }
  torch::Tensor key_value(const MmaAttentionImpl& layer) const {
    return layer.project_key_value(z_);
  }

  static constexpr int kWidth = 8;
  MmaAttentionImpl quiet_ = make({.bias = -1.5, .noise = 0});
  MmaAttentionImpl noisy_ = make({.bias = -1.5, .noise = 1});
  const torch::Tensor visible_ = visible_under("mma");
  const torch::Tensor x_ = torch::randn({2, kTarget, kWidth}, torch::kDouble);
  const torch::Tensor z_ = torch::randn({2, kSource, kWidth}, torch::kDouble);
};

TEST_F(MmaLayer, SeesTheWholeSourceInTraining) {
  EXPECT_TRUE(torch::equal(visible_, kLengths.unsqueeze(1).expand({2, kTarget})));
  EXPECT_FALSE(quiet_.seeks());
  const auto energies = quiet_.energies(quiet_.project_query(x_), key_value(quiet_));
  const auto expected = expected_alignment(torch::sigmoid(energies), visible_);
  EXPECT_TRUE(torch::allclose(weights(quiet_), expected));
  EXPECT_EQ(weights(quiet_).narrow(0, 1, 1).narrow(3, kSource - 2, 2).abs().max().item<double>(),
            0);
}

TEST_F(MmaLayer, BeginsWithTheBiasOfItsOptions) {
  EXPECT_TRUE(torch::equal(quiet_.named_parameters()["energy_bias"],
                           torch::full({kHeads}, -1.5, torch::kDouble)));
}

TEST_F(MmaLayer, IsNoisyInTrainingAlone) {
  EXPECT_FALSE(torch::allclose(weights(noisy_), weights(quiet_)));
  EXPECT_FALSE(torch::allclose(weights(noisy_), weights(noisy_)));
  noisy_.eval();
  quiet_.eval();
  EXPECT_TRUE(noisy_.seeks());
  EXPECT_TRUE(torch::equal(noisy_.energies(noisy_.project_query(x_), key_value(noisy_)),
                           quiet_.energies(quiet_.project_query(x_), key_value(quiet_))));
}

}  // namespace
}  // namespace surtitle
